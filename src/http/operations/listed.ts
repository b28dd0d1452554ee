import { findModel, findRouter } from '../../catalogue/index.ts'
import type { AccountContext, Model, Router } from '../../domain/index.ts'
import { type Arrival, boundsOf, type House, mayUseModel, unknownModel } from '../../pipeline/index.ts'
import {
  anthropicModel,
  type ListMarks,
  openaiModel,
  openaiRouter,
  openrouterModel,
  openrouterRouter,
} from './openrouter-model.ts'

/** What a list of models has: models, then the router models that stand for some. */
export type Listed =
  | { readonly kind: 'model'; readonly model: Model }
  | { readonly kind: 'router'; readonly router: Router }

/** What account and key may use; all for null. A router that has no model is of no use to anybody. */
export function listedFor(house: House, context: AccountContext | null): Listed[] {
  const { models, routers } = house.catalogue()
  const mayUse = usableBy(house, context)
  return [
    ...[...models.values()].filter((model) => mayUse(model)).map((model): Listed => ({ kind: 'model', model })),
    ...[...routers.values()]
      .filter(({ id, models: its }) => its.some((model) => mayUse(model, id)))
      .map((router): Listed => ({ kind: 'router', router })),
  ]
}

/** One of these by its name. Throws 404 `model_not_found`. */
export function findListed(house: House, context: AccountContext | null, name: string): Listed {
  const catalogue = house.catalogue()
  const mayUse = usableBy(house, context)
  const model = findModel(catalogue, name)
  if (model !== null && mayUse(model)) return { kind: 'model', model }
  const router = model === null ? findRouter(catalogue, name) : null
  if (router?.models.some((one) => mayUse(one, router.id))) return { kind: 'router', router }
  throw unknownModel({ catalogue, context }, { model: name })
}

/** In the form of who asks. */
export function listedView(one: Listed, marks: ListMarks, { surface, request }: Arrival): object {
  if (surface === 'openrouter') return openrouterView(one, marks)
  if (request.headers.has(ANTHROPIC_VERSION))
    return anthropicModel(one.kind === 'model' ? one.model : one.router, marks)
  return one.kind === 'model' ? openaiModel(one.model, marks) : openaiRouter(one.router, marks)
}

/** As OpenRouter shows it. Made once for each catalogue: those of hundreds of models take milliseconds, in which nothing else is done, and anybody may ask. */
export function openrouterView(one: Listed, marks: ListMarks): OpenrouterView {
  const shown = one.kind === 'model' ? one.model : one.router
  const made = madeViews.get(shown)
  if (made?.createdAtS === marks.createdAtS && made.hideBackends === marks.hideBackends) return made.view
  const view = one.kind === 'model' ? openrouterModel(one.model, marks) : openrouterRouter(one.router, marks)
  madeViews.set(shown, { ...marks, view })
  return view
}

type OpenrouterView = Readonly<ReturnType<typeof openrouterModel> | ReturnType<typeof openrouterRouter>>

const madeViews = new WeakMap<Model | Router, ListMarks & { readonly view: OpenrouterView }>()

/** What a list says of all its models now. */
export const listMarks = (house: House): ListMarks => ({
  createdAtS: house.catalogue().createdAtS,
  hideBackends: house.settings().replies.hideBackends,
})

/** The header by which callers of Anthropic's API are known. */
export const ANTHROPIC_VERSION = 'anthropic-version'

function usableBy(house: House, context: AccountContext | null): (model: Model, router?: string) => boolean {
  if (context === null) return () => true
  const bounds = boundsOf(house.settings(), context)
  return (model, router) => mayUseModel(bounds, model, router)
}
