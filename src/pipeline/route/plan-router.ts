import type { Candidate, Model, Router, Skip } from '../../domain/index.ts'
import type { RankBook } from '../rank-book.ts'
import { askedSort } from './chosen-sort.ts'
import { ordered } from './ordered.ts'
import { firstIfAlone, passed } from './passed.ts'
import { routerOrder } from './router-order.ts'
import type { Wish, World } from './rule.ts'

/** So many models of a router are candidates at most: nobody tries more, and a plan is as long as it is wide. */
const MODELS_MAX = 8
/** Beyond these only skips of another kind are kept: a router may stand for hundreds of models. */
const SKIPS_MAX = 64

/**
 * The candidates of a router model: its models in the order of the request, each planned by itself in the one world that was captured, until so
 * many have somebody; then one after the other, or as one list where they are sorted by something.
 */
export function planRouter(
  world: World,
  wish: Wish,
  { router, models }: { readonly router: Router; readonly models: readonly Model[] },
  skips: Skip[],
  book?: RankBook,
): readonly Candidate[] {
  const own = wishOfRouter(wish, router)
  if (models.length === 0) skips.push(emptySkip(router))
  const lists: (readonly Candidate[])[] = []
  for (const model of routerOrder(world, own, router, models)) {
    const its: Skip[] = []
    const list = ordered(passed(world, own, model, its), world, own, book)
    addSkips(skips, its)
    if (list.length === 0) continue
    book?.precede(list, { rule: 'router', key: lists.length })
    lists.push(list)
    if (lists.length === MODELS_MAX) break
  }
  const isOneList = lists.length > 1 && (askedSort(own) ?? own.sort) !== undefined
  return firstIfAlone(isOneList ? ordered(lists.flat(), world, own, book) : lists.flat(), own, skips)
}

const wishOfRouter = (wish: Wish, { id, freeOnly, by }: Router): Wish => ({
  ...wish,
  router: id,
  ...(freeOnly ? { freeOnly } : {}),
  ...(by === 'price' ? { sort: 'price' as const } : {}),
})

const emptySkip = ({ id, freeOnly }: Router): Skip => ({
  offer: id,
  backend: '',
  rule: freeOnly ? 'free' : 'known-model',
  reason: freeOnly ? 'no model has an offer whose price is zero' : 'the router has no model',
})

function addSkips(skips: Skip[], more: readonly Skip[]): void {
  for (const skip of more) {
    const isKept =
      skips.length < SKIPS_MAX || !skips.some(({ rule, reason }) => rule === skip.rule && reason === skip.reason)
    if (isKept) skips.push(skip)
  }
}
