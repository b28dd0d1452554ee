import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const STREAMS = Number(process.env.ANYROUTER_STREAMS ?? 40)
const TEXT = 'twelve bytes' // of each chunk
const CHUNK_MS = 100
/** A stream writes down how far it has come every 5 s, in a batch that goes out anyway. */
const CHECKPOINT_MS = 5000
const LATE_MS = 2000 // a busy machine's timers, and a batch
const RUN_MS = CHECKPOINT_MS + LATE_MS + 1000
const BYTES_PER_TOKEN = 3 // where an offer begins

function slowProvider() {
  const delta = { index: 0, delta: { content: TEXT }, finish_reason: null }
  const chunk = new TextEncoder().encode(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [delta] })}\n\n`,
  )
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: () => {
      let timer: Timer | undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          timer = setInterval(() => controller.enqueue(chunk), CHUNK_MS)
        },
        cancel: () => clearInterval(timer),
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

interface Seen {
  readonly requestId: string | null
  /** When each chunk of text came. */
  readonly atMs: readonly number[]
}

/** Reads a stream until it breaks. */
function openStream(gateway: TestGateway): { readonly atMs: readonly number[]; readonly broken: Promise<Seen> } {
  const atMs: number[] = []
  const broken = (async () => {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm1', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    if (!response.ok) throw new Error(await response.text())
    const decoder = new TextDecoder()
    try {
      for await (const bytes of response.body ?? []) {
        const count = decoder.decode(bytes, { stream: true }).split(TEXT).length - 1
        for (let at = 0; at < count; at++) atMs.push(performance.now())
      }
    } catch {
      // the gateway was killed: that is the point
    }
    return { requestId: response.headers.get('x-request-id'), atMs }
  })()
  return { atMs, broken }
}

test(`a kill loses no more than the last seconds of ${STREAMS} streams, and charges nothing that was not delivered`, async () => {
  await using provider = slowProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, backend: { slots: 512 } }] },
    balanceUsd: '1000',
  })
  const streams = Array.from({ length: STREAMS }, () => openStream(gateway))
  const hasRun = ({ atMs }: Pick<Seen, 'atMs'>): boolean => (atMs.at(-1) ?? 0) - (atMs[0] ?? 0) >= RUN_MS
  while (!streams.every(hasRun)) await Bun.sleep(CHUNK_MS)
  const killedMs = performance.now()
  await gateway.killAndRestart()
  const seen = await Promise.all(streams.map(({ broken }) => broken))
  await gateway.stop()

  const ledger = new Database(join(gateway.dataFolder, 'ledger.db'), { readonly: true })
  const rowOf = ledger.query<{ reason: string; usage_source: string; units_output: number }, [string | null]>(
    'SELECT reason, usage_source, units_output FROM settlement WHERE request_id = ?',
  )
  for (const { requestId, atMs } of seen) {
    const row = rowOf.get(requestId)
    expect(row).toMatchObject({ reason: 'crash', usage_source: 'recovered' })
    const before = atMs.filter((at) => at < killedMs - CHECKPOINT_MS - LATE_MS).length
    const units = row?.units_output ?? 0
    expect(before).toBeGreaterThan(0)
    expect(units).toBeGreaterThanOrEqual(Math.floor((before * TEXT.length) / BYTES_PER_TOKEN))
    expect(units).toBeLessThanOrEqual(Math.ceil(((atMs.length + 20) * TEXT.length) / BYTES_PER_TOKEN)) // 20: on their way to this client
  }
  ledger.close()
}, 60_000)
