import { z } from 'zod'
import { type Clock, delay } from '../lib/index.ts'
import { askPublicly, type Client, type PublicAnswer } from './client.ts'
import { dollars } from './dollars.ts'
import { serverTiming, type TimingEntry } from './server-timing.ts'

export interface Tour {
  readonly baseUrl: string
  readonly secret: string
  readonly account: string
  readonly admin: Client
  readonly clock: Clock
}

/** Sends the sample twice through the public route and tells what came of it: answer, time, money, and the gain of a kept connection. */
export async function demoTour(tour: Tour): Promise<string> {
  const first = await askPublicly(tour.baseUrl, tour.secret, SAMPLE)
  const lines = [`${first.status}  ${said(first)}`]
  if (first.status === 200) {
    lines.push(...timeLines(entriesOf(first)))
    lines.push(await moneyLine(tour, first.headers.get('x-request-id') ?? ''))
    lines.push(againLine(await askPublicly(tour.baseUrl, tour.secret, SAMPLE)))
  }
  return ['One request through the whole path, just now', ...lines.map((line) => `  ${line}`)]
    .map((line) => `  ${line}\n`)
    .join('')
}

/** The request that the banner shows and the tour sends. */
export const SAMPLE = { model: 'demo/fast', messages: [{ role: 'user', content: 'Hello' }] }

const answerBody = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) })
const errorBody = z.object({ error: z.object({ message: z.string() }) })

function said({ text }: PublicAnswer): string {
  const body: unknown = JSON.parse(text)
  const answer = answerBody.safeParse(body)
  return answer.success ? JSON.stringify(answer.data.choices[0].message.content) : errorBody.parse(body).error.message
}

const entriesOf = (answer: PublicAnswer): ReadonlyMap<string, TimingEntry> =>
  serverTiming(answer.headers.get('server-timing') ?? '')

const STAGE = 'gw-'

function timeLines(entries: ReadonlyMap<string, TimingEntry>): string[] {
  const stages = [...entries].flatMap(([name, { ms }]) =>
    name.startsWith(STAGE) ? [`${name.slice(STAGE.length)} ${ms}`] : [],
  )
  const ms = (name: string) => `${name} ${entries.get(name)?.ms ?? '?'} ms`
  return [
    `${ms('gw')}  (${stages.join('  ')})`,
    `${ms('upstream')} (${attemptWords(entries)})   ${ms('post')}   ${ms('total')}`,
  ]
}

/** "north, new connection" from the attempt's `desc="north new"`. */
function attemptWords(entries: ReadonlyMap<string, TimingEntry>): string {
  const { backend, use } = connectionOf(entries)
  return `${backend}, ${use} connection`
}

function connectionOf(entries: ReadonlyMap<string, TimingEntry>): { backend: string; use: string } {
  const [backend = '?', use = '?'] = (entries.get('upstream-1')?.description ?? '').split(' ')
  return { backend, use }
}

const settlements = z.object({
  data: z.array(
    z.object({
      request_id: z.string(),
      charged_usd: z.string(),
      held_usd: z.string(),
      usage: z.object({ input: z.number(), output: z.number() }),
    }),
  ),
})
const account = z.object({ balance_usd: z.string() })

const SETTLED_TRIES_MAX = 400
const SETTLED_RETRY_MS = 5

async function moneyLine({ admin, account: name, clock }: Tour, requestId: string): Promise<string> {
  for (let tries = 0; tries < SETTLED_TRIES_MAX; tries++) {
    const { data } = settlements.parse(await admin('GET', `/ledger/settlements?account=${name}&limit=1`))
    const row = data.find((settlement) => settlement.request_id === requestId)
    if (row !== undefined) {
      const { balance_usd: balance } = account.parse(await admin('GET', `/accounts/${name}`))
      const { input, output } = row.usage
      const held = dollars(row.held_usd)
      return `charged ${dollars(row.charged_usd)} (${input} in, ${output} out; held ${held})    balance ${dollars(balance)}`
    }
    await delay(clock, SETTLED_RETRY_MS) // the answer may be here before its settlement is on disk
  }
  return `${requestId} is not settled yet`
}

function againLine(answer: PublicAnswer): string {
  if (answer.status !== 200) return `again: ${answer.status}  ${said(answer)}`
  const entries = entriesOf(answer)
  const { use } = connectionOf(entries)
  const connection = use === 'kept' ? 'the kept connection' : `a ${use} connection`
  return `again, on ${connection}: total ${entries.get('total')?.ms ?? '?'} ms`
}
