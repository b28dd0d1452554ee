import type { Command } from 'commander'
import { z } from 'zod'
import { nearest } from '../lib/index.ts'
import { type CliContext, show, WAYS_ON } from './context.ts'
import { CommandFailure } from './exit.ts'
import { offerShape, priceText } from './price-text.ts'
import { someOf } from './some-of.ts'
import { plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const listedShape = offerShape.extend({
  not_found: z.object({ times: z.number(), last_at_ms: z.number() }).nullable(),
})

const routerShape = z.object({ id: z.string(), by: z.string(), free_only: z.boolean(), models: z.array(z.string()) })

const answerShape = z.object({
  routers: z.array(routerShape),
  data: z.array(
    z.object({
      id: z.string(),
      aliases: z.array(z.string()),
      context_tokens_max: z.number().nullable(),
      output_tokens_max: z.number().nullable(),
      offers: z.array(listedShape),
    }),
  ),
})

type Listed = z.infer<typeof answerShape>['data'][number]

/** `models [list | show]`: what can be served, by which backends, at what price. */
export function addModels(program: Command, context: CliContext): void {
  const group = program.command('models').description('what can be served, by which backends, at what price')
  group
    .command('list', { isDefault: true })
    .description('all models; the same as without a word')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', '/models'), 'made')
      show(context, json, answer, () => {
        const { data, routers } = answerShape.parse(answer)
        return [modelsText(data), ...(routers.length === 0 ? [] : [`\n${routersText(routers)}`])].join('')
      })
    })
  group
    .command('show')
    .description('one model, by its id or an alias; or a router model')
    .argument('<model>')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: { json?: true }, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', '/models'), 'made')
      const { data, routers } = answerShape.parse(answer)
      const router = routers.find(({ id }) => id === name)
      if (router !== undefined) {
        show(context, json, router, () => routersText([router]))
        return
      }
      const at = data.findIndex(({ id, aliases }) => id === name || aliases.includes(name))
      if (at < 0) throw new CommandFailure(unknownModel(name, data))
      const whole = z.object({ data: z.array(z.unknown()) }).parse(answer).data[at] // with what the table leaves out
      show(context, json, whole, () => modelsText(data.slice(at, at + 1)))
    })
}

function unknownModel(name: string, models: readonly Listed[]): string {
  const [near] = nearest(
    name,
    models.flatMap(({ id, aliases }) => [id, ...aliases]),
    1,
  )
  return `there is no model '${plain(name)}'${near === undefined ? '' : `: did you mean '${plain(near)}'?`}`
}

const COLUMNS = [
  { name: 'model' },
  { name: 'backend' },
  { name: 'as' },
  { name: 'price per M (in / out)' },
  { name: 'context', right: true },
  { name: 'output', right: true },
  { name: 'state' },
  { name: 'aliases' },
]

function modelsText(models: readonly Listed[]): string {
  const rows = models.flatMap((model) =>
    model.offers.map((offer, at) => [
      at === 0 ? plain(model.id) : '',
      plain(offer.backend),
      plain(offer.provider_model),
      priceText(offer.price),
      tokens(model.context_tokens_max),
      tokens(model.output_tokens_max),
      stateOf(offer),
      at === 0 ? model.aliases.map(plain).join(',') : '',
    ]),
  )
  return table(COLUMNS, rows, `no models yet: ${WAYS_ON}`)
}

const ROUTERS = ['router', 'by', 'offers', 'models'].map((heading) => ({ name: heading }))

const routersText = (routers: readonly z.infer<typeof routerShape>[]): string =>
  table(
    ROUTERS,
    routers.map(({ id, by, free_only, models }) => [
      plain(id),
      by,
      free_only ? 'free ones' : 'all',
      models.length === 0 ? 'none' : someOf(models.map(plain), SHOWN_MAX),
    ]),
    '',
  )

const SHOWN_MAX = 6

function stateOf({ enabled, not_found }: z.infer<typeof listedShape>): string {
  if (!enabled) return 'disabled'
  if (not_found === null) return 'enabled'
  return `404 ×${not_found.times}, last ${new Date(not_found.last_at_ms).toISOString()}: is the name right?`
}

const tokens = (count: number | null): string => (count === null ? '-' : String(count))
