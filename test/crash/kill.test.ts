import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { systemRandom } from '../../src/lib/index.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const KILLS = Number(process.env.ANYROUTER_KILLS ?? 8)
const MOMENT_MS_MAX = 250
const STREAMS = Number(process.env.ANYROUTER_STREAMS ?? 40)

const random = systemRandom()
const refusals: string[] = []

/** A provider whose streams go on until their client leaves, a chunk every few milliseconds; one in three ends after a few. */
function endlessProvider() {
  let count = 0
  const chunk = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"word "},"finish_reason":null}]}\n\n`
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: () => {
      let timer: Timer | undefined
      let left = count++ % 3 === 0 ? 1 + (count % 20) : Number.POSITIVE_INFINITY
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          timer = setInterval(() => {
            if (left-- > 0) return controller.enqueue(new TextEncoder().encode(chunk))
            clearInterval(timer)
            controller.enqueue(
              new TextEncoder().encode(
                `${chunk.replace('"finish_reason":null', '"finish_reason":"stop"')}data: [DONE]\n\n`,
              ),
            )
            controller.close()
          }, 5)
        },
        cancel() {
          clearInterval(timer)
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** Opens a stream and reads it until it breaks; resolves `first` with the first bytes. Bytes that were seen must have been paid for. */
function openStream(gateway: TestGateway): { first: Promise<string | null>; broken: Promise<void> } {
  const { promise: first, resolve } = Promise.withResolvers<string | null>()
  const broken = (async () => {
    try {
      const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'm1',
          stream: true,
          max_tokens: 1000,
          messages: [{ role: 'user', content: 'Hello' }],
        }),
      })
      if (!response.ok) refusals.push(await response.text())
      const reader = response.body?.getReader()
      const requestId = response.headers.get('x-request-id')
      while (reader !== undefined && !(await reader.read()).done) resolve(requestId)
    } catch {
      // the gateway was killed: that is the point
    }
    resolve(null)
  })()
  return { first, broken }
}

/** What another process sees of the ledger is committed: synced, and to stay. By request: how it ended and what it was charged. */
function committedIn(gateway: TestGateway): Map<string, string> {
  const ledger = new Database(join(gateway.dataFolder, 'ledger.db'), { readonly: true })
  try {
    const rows = ledger
      .query<{ request_id: string; said: string }, []>(
        `SELECT request_id, seq || ' ' || ending || ' ' || reason || ' ' || charged AS said FROM settlement`,
      )
      .all()
    return new Map(rows.map(({ request_id, said }) => [request_id, said]))
  } finally {
    ledger.close()
  }
}

test(
  `${KILLS} kills under ${STREAMS} streams: the ledger is clean after each, and nothing is settled twice`,
  async () => {
    await using provider = endlessProvider()
    await using gateway = await startGateway({
      offers: { m1: [{ provider, backend: { slots: 512 } }] },
      balanceUsd: '1000',
    })
    const seen = new Set<string>()
    let completed = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const streams = Array.from({ length: STREAMS }, () => openStream(gateway))
      // A different number of streams has begun at each kill: the others are somewhere between their first byte and their hold.
      const begun = await Promise.all(streams.slice(0, 1 + ((kill * 7) % STREAMS)).map(({ first }) => first))
      for (const requestId of begun) if (requestId !== null) seen.add(requestId)
      await Bun.sleep(random.fraction() * MOMENT_MS_MAX) // any moment
      const committed = committedIn(gateway)
      await gateway.killAndRestart()
      await Promise.all(streams.map(({ broken }) => broken))

      const verify = await gateway.admin('POST', '/ledger/verify')
      expect(verify.body).toMatchObject({ clean: true, faults: [], open_holds: 0 })
      expect((await gateway.admin('GET', '/ledger/holds')).body.data).toEqual([])
      const after = committedIn(gateway)
      expect([...committed].filter(([requestId, said]) => after.get(requestId) !== said)).toEqual([])
      completed += [...committed.values()].filter((said) => said.includes('completed')).length
    }
    await gateway.stop()

    const ledger = new Database(join(gateway.dataFolder, 'ledger.db'), { readonly: true })
    const settled = ledger
      .query<{ request_id: string; n: number }, []>(
        'SELECT request_id, count(*) AS n FROM settlement GROUP BY request_id',
      )
      .all()
    expect(settled.every(({ n }) => n === 1)).toBe(true)
    // No byte leaves before its hold is on disk: whatever a client saw has its row.
    const ended = new Set(settled.map(({ request_id }) => request_id))
    expect([...seen].filter((requestId) => !ended.has(requestId))).toEqual([])
    expect(seen.size).toBeGreaterThan(KILLS)
    expect(refusals).toEqual([])
    expect(completed).toBeGreaterThan(0)
    const overcharged = ledger
      .query<{ n: number }, []>('SELECT count(*) AS n FROM settlement WHERE charged > held')
      .get()
    expect(overcharged?.n).toBe(0)
    ledger.close()
  },
  60_000 + KILLS * 20_000,
)
