import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show, WAYS_ON } from './context.ts'
import { offerShape, priceText } from './price-text.ts'
import { plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const listedShape = offerShape.extend({
  not_found: z.object({ times: z.number(), last_at_ms: z.number() }).nullable(),
})

const answerShape = z.object({
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

/** `models`: what can be served, by which backends, at what price. */
export function addModels(program: Command, context: CliContext): void {
  program
    .command('models')
    .description('what can be served, by which backends, at what price')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', '/models'), 'made')
      show(context, json, answer, () => modelsText(answer))
    })
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

function modelsText(answer: unknown): string {
  const { data } = answerShape.parse(answer)
  const rows = data.flatMap((model) =>
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

function stateOf({ enabled, not_found }: z.infer<typeof listedShape>): string {
  if (!enabled) return 'disabled'
  if (not_found === null) return 'enabled'
  return `404 ×${not_found.times}, last ${new Date(not_found.last_at_ms).toISOString()}: is the name right?`
}

const tokens = (count: number | null): string => (count === null ? '-' : String(count))
