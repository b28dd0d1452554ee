import type { Backend } from '../../domain/index.ts'
import type { House, PipelineSettings } from '../../pipeline/index.ts'
import type { By, Store } from '../../store/index.ts'
import { judgeProbe } from './judge-probe.ts'
import { cheapestModel, onlyBackend } from './only-backend.ts'
import { type ProbeAnswer, type ProbeRequest, probeRequest } from './probe-request.ts'
import { withSmokePayer } from './smoke-payer.ts'
import type { ProbeKind, SmokeProbe, SmokeReport } from './smoke-report.ts'

export interface SmokeRooms {
  readonly house: House
  readonly reader: Pick<Store['reader'], 'accountNamed' | 'record'>
}

export interface SmokeWish {
  readonly backend: Backend
  /** Null: the cheapest that the backend offers. */
  readonly model: string | null
  readonly by: By
}

const AT_ONCE = 4
const SHORT_TOKENS = 16
const LONG_TOKENS = 256
const SHORT = 'Reply with the one word: ready'
const LONG = 'Count from 1 to 200, one number a line.'
const CONTENT = /"(?:content|reasoning|reasoning_content|refusal|text|thinking)":\s*"[^"]/

/**
 * Sends small real requests through all verbs of the house, as if it had no other backend: plain, streamed, left in mid-stream, and four at once.
 * When the first gets no answer the others are not sent. They cost what they cost: the account `smoke` pays. At most some four minutes.
 */
export async function smoke({ house, reader }: SmokeRooms, { backend, model, by }: SmokeWish): Promise<SmokeReport> {
  const catalogue = onlyBackend(house.catalogue(), backend.id)
  const wanted = model ?? cheapestModel(catalogue)
  if (wanted === null) return { backend: backend.id, model: null, probes: [] }
  const { accounts, clock } = house
  const probes = await withSmokePayer({ accounts, reader, clock }, by, async (secret) => {
    const narrowed = { ...house, catalogue: () => catalogue, settings: () => withoutHome(house.settings()) }
    const operation = backend.dialects.includes('openai') ? 'chat.completions' : 'messages'
    const matrix = new Matrix({ house: narrowed, reader, secret, operation }, wanted)
    await matrix.run()
    return matrix.probes
  })
  return { backend: backend.id, model: wanted, probes }
}

/** An operator looks at a backend wherever it is. */
const withoutHome = (settings: PipelineSettings): PipelineSettings => ({
  ...settings,
  routing: { ...settings.routing, homeRegions: [] },
})

type Common = Pick<ProbeRequest, 'house' | 'reader' | 'secret' | 'operation'>

/** The requests in their order, and what was learned on the way: how this model's limit of tokens is called. */
class Matrix {
  readonly probes: SmokeProbe[] = []
  readonly #common: Common
  readonly #model: string
  #limitField = 'max_tokens'

  constructor(common: Common, model: string) {
    this.#common = common
    this.#model = model
  }

  async run(): Promise<void> {
    const first = await this.#plain()
    this.#note('plain', first)
    if (this.probes.at(-1)?.isOk !== true) return
    this.#note('stream', await this.#ask(SHORT, SHORT_TOKENS, { stream: true }))
    this.#note('hang_up', await this.#ask(LONG, LONG_TOKENS, { stream: true }, (text) => CONTENT.test(text)))
    const several = await Promise.all(Array.from({ length: AT_ONCE }, () => this.#ask(SHORT, SHORT_TOKENS)))
    for (const answer of several) this.#note('several', answer)
  }

  /** Newer models of OpenAI refuse the older name of the limit, and many other servers know no other. */
  async #plain(): Promise<ProbeAnswer> {
    const answer = await this.#ask(SHORT, SHORT_TOKENS)
    if (answer.status !== 400 || !answer.text.includes('max_completion_tokens')) return answer
    this.#limitField = 'max_completion_tokens'
    return this.#ask(SHORT, SHORT_TOKENS)
  }

  #ask(
    content: string,
    tokensMax: number,
    more: object = {},
    leaveAfter: ProbeRequest['leaveAfter'] = null,
  ): Promise<ProbeAnswer> {
    const messages = [{ role: 'user', content }]
    const body = { model: this.#model, messages, [this.#limitField]: tokensMax, ...more }
    return probeRequest({ ...this.#common, body, leaveAfter })
  }

  #note(kind: ProbeKind, answer: ProbeAnswer): void {
    this.probes.push(judgeProbe(kind, answer))
  }
}
