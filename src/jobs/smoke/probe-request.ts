import { delay } from '../../lib/index.ts'
import { type Arrival, type House, run } from '../../pipeline/index.ts'
import type { RequestRecord, Store, StoredRecord } from '../../store/index.ts'

/** One request through all verbs of a house, as if it came over the network. */
export interface ProbeRequest {
  readonly house: House
  readonly reader: Pick<Store['reader'], 'record'>
  readonly secret: string
  /** In which form it asks for a conversation. */
  readonly operation: ProbeOperation
  readonly body: object
  /** Leaves once this much of the answer has come; null: reads all of it. */
  readonly leaveAfter: ((text: string) => boolean) | null
}

/** What came of it: the answer, and what the gateway recorded of it once its money is on disk. */
export interface ProbeAnswer {
  /** Null: none came within the limit. */
  readonly status: number | null
  readonly text: string
  readonly record: RequestRecord | null
  readonly settlement: StoredRecord['settlement']
  readonly isLate: boolean
}

export type ProbeOperation = keyof typeof PLACES

const PLACES = {
  'chat.completions': { surface: 'openai', path: '/v1/chat/completions' },
  messages: { surface: 'anthropic', path: '/v1/messages' },
} as const

const LIMIT_MS = 45_000
const RECORD_MS_MAX = 5000
const LOOK_MS = 20

/** Sends it and waits for its end, at most 45 s, and then up to 5 s for its settlement. Rejects only for a bug. */
export async function probeRequest(probe: ProbeRequest): Promise<ProbeAnswer> {
  const { house, reader } = probe
  const { clock } = house
  const recorded = Promise.withResolvers<RequestRecord>()
  const records: House['records'] = {
    write(record) {
      house.records.write(record)
      recorded.resolve(record)
    },
  }
  const caller = new AbortController()
  let isLate = false
  const cancelTimer = clock.after(LIMIT_MS, () => {
    isLate = true
    caller.abort()
  })
  const response = await run({ ...house, records }, arrivalOf(probe, caller.signal))
  const text = await readAnswer(response, probe.leaveAfter, caller).finally(cancelTimer)
  const record = await orNull(recorded.promise, clock)
  const isSent = record !== null && record.attempts.length > 0
  const settlement = isSent ? await settlementOf(reader, record.requestId, clock) : null
  return { status: response.status, text, record, settlement, isLate }
}

function arrivalOf({ secret, operation, body }: ProbeRequest, signal: AbortSignal): Arrival {
  const { surface, path } = PLACES[operation]
  return {
    operation,
    surface,
    request: new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    }),
    remoteAddress: () => '127.0.0.1',
    liftIdleLimit: () => {},
    restoreIdleLimit: () => {},
  }
}

/** A stream that is broken off ends with what came of it. */
async function readAnswer(
  response: Response,
  leaveAfter: ProbeRequest['leaveAfter'],
  caller: AbortController,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      if (leaveAfter?.(text) !== true) continue
      caller.abort()
      break
    }
  } catch {
    // it ended before its end: the record says how
  }
  return text
}

/** The record of a stream comes with its end, a moment after its last byte. */
function orNull(recorded: Promise<RequestRecord>, clock: House['clock']): Promise<RequestRecord | null> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(RECORD_MS_MAX, () => resolve(null))
    void recorded.then((record) => {
      cancelTimer()
      resolve(record)
    })
  })
}

/** Settlements are written behind answers. */
async function settlementOf(
  reader: ProbeRequest['reader'],
  requestId: string,
  clock: House['clock'],
): Promise<StoredRecord['settlement']> {
  for (let waitedMs = 0; waitedMs < RECORD_MS_MAX; waitedMs += LOOK_MS) {
    const stored = await reader.record(requestId)
    if (stored !== null && stored.settlement !== null) return stored.settlement
    await delay(clock, LOOK_MS)
  }
  return null
}
