import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { offerShape, priceText } from './price-text.ts'
import { plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const planShape = z.object({
  model: z.string(),
  candidates: z.array(offerShape.extend({ credential: z.string().optional() })),
  skips: z.array(z.object({ offer: z.string(), backend: z.string(), rule: z.string(), reason: z.string() })),
})

interface Flags {
  readonly model: string
  readonly account?: string
  readonly key?: string
  readonly json?: true
}

/** `route`: the route plan with every skip, without sending anything. */
export function addRoute(program: Command, context: CliContext): void {
  program
    .command('route')
    .description('which backends would serve a model, in which order, and why not the others; nothing is sent')
    .requiredOption('--model <model>', 'the model, or an alias of it')
    .option('--account <account>', 'as this account would get it: id or name (default: an unmetered one)')
    .option('--key <key>', 'as this key would get it: its id')
    .option('--json', 'print JSON')
    .action(async ({ json, ...wish }: Flags, command: Command) => {
      if (wish.account !== undefined && wish.key !== undefined)
        command.error('error: --account or --key: a key has its account')
      const plan = await withAdmin(context, command, (admin) => admin('POST', '/route', wish), 'made')
      show(context, json, plan, () => planText(plan))
    })
}

const CANDIDATES = [
  { name: '', right: true },
  { name: 'backend' },
  { name: 'as' },
  { name: 'price per M (in / out)' },
  { name: 'offer' },
]
const SKIPS = [{ name: 'skipped' }, { name: 'rule' }, { name: 'reason' }]

function planText(answer: unknown): string {
  const { model, candidates, skips } = planShape.parse(answer)
  const order = candidates.map((offer, at) => [
    String(at + 1),
    plain(offer.backend),
    plain(offer.provider_model),
    offer.credential === undefined ? priceText(offer.price) : `own credential ${plain(offer.credential)}`,
    plain(offer.offer),
  ])
  const skipped = skips.map(({ backend, rule, reason }) => [plain(backend), rule, plain(reason)])
  return [
    `${plain(model)}\n\n`,
    table(CANDIDATES, order, 'nothing can serve it now'),
    skipped.length === 0 ? '' : `\n${table(SKIPS, skipped, '')}`,
  ].join('')
}
