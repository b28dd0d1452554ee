import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { CommandFailure } from './exit.ts'
import { offerShape, priceText } from './price-text.ts'
import { plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const planShape = z.object({
  model: z.string(),
  router: z.string().nullable(),
  candidates: z.array(
    offerShape.extend({ model: z.string(), credential: z.string().optional(), behind_by: z.string().nullable() }),
  ),
  refusal: z.object({ status: z.number(), code: z.string(), message: z.string() }).nullable(),
  skips: z.array(z.object({ offer: z.string(), backend: z.string(), rule: z.string(), reason: z.string() })),
})

interface Flags {
  readonly model?: string
  readonly body?: string
  readonly operation?: string
  readonly account?: string
  readonly key?: string
  readonly json?: true
}

/** `route`: the route plan with every skip, without sending anything. */
export function addRoute(program: Command, context: CliContext): void {
  program
    .command('route')
    .description('which backends would serve a model, in which order, and why not the others; nothing is sent')
    .option('--model <model>', 'the model, an alias of it, or a router model')
    .option('--body <file>', 'as this request would get it, with all that it wishes: a file with its JSON body')
    .option('--operation <operation>', 'what the body asks for (default: chat.completions)')
    .option('--account <account>', 'as this account would get it: id or name (default: an unmetered one)')
    .option('--key <key>', 'as this key would get it: its id')
    .option('--json', 'print JSON')
    .action(async ({ json, body, ...wish }: Flags, command: Command) => {
      if (wish.model === undefined && body === undefined) command.error('error: --model or --body: what is asked for')
      if (wish.account !== undefined && wish.key !== undefined)
        command.error('error: --account or --key: a key has its account')
      const question = body === undefined ? wish : { ...wish, body: await readRequest(body) }
      const plan = await withAdmin(context, command, (admin) => admin('POST', '/route', question), 'made')
      show(context, json, plan, () => planText(plan))
    })
}

async function readRequest(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandFailure(`${path} cannot be read: ${error.message}`)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandFailure(`${path} is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const CANDIDATES = [
  { name: '', right: true },
  { name: 'backend' },
  { name: 'as' },
  { name: 'price per M (in / out)' },
  { name: 'offer' },
  { name: 'behind by' },
]
const SKIPS = [{ name: 'skipped' }, { name: 'rule' }, { name: 'reason' }]

function planText(answer: unknown): string {
  const { model, router, candidates, skips, refusal } = planShape.parse(answer)
  const order = candidates.map((offer, at) => [
    String(at + 1),
    plain(offer.backend),
    plain(offer.provider_model),
    offer.credential === undefined ? priceText(offer.price) : `own credential ${plain(offer.credential)}`,
    plain(offer.offer),
    offer.behind_by ?? '',
  ])
  const skipped = skips.map(({ offer, backend, rule, reason }) => [
    plain(backend === '' ? offer : backend),
    rule,
    plain(reason),
  ])
  return [
    `${router === null ? plain(model) : `${plain(router)}: ${plain(model)}`}\n\n`,
    table(CANDIDATES, order, 'nothing can serve it now'),
    skipped.length === 0 ? '' : `\n${table(SKIPS, skipped, '')}`,
    refusal === null ? '' : `\nThe caller would get ${refusal.status} ${refusal.code}: ${plain(refusal.message)}\n`,
  ].join('')
}
