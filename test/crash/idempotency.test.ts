import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const KILLS = Math.ceil(Number(process.env.ANYROUTER_KILLS ?? 8) / 2)
const KEYS_PER_KILL = 30

/** A top-up of a cent under this key, sent twice at once; answers the texts of what came back before the process was gone. */
async function topUp(gateway: TestGateway, key: string): Promise<string[]> {
  const send = async (): Promise<string | null> => {
    try {
      const response = await fetch('http://admin/admin/v1/credits', {
        unix: join(gateway.dataFolder, 'admin.sock'),
        method: 'POST',
        headers: { 'idempotency-key': key },
        body: JSON.stringify({ account: 'test', usd: '0.01' }),
      })
      const text = await response.text()
      return response.status === 201 ? text : null
    } catch {
      return null // the gateway was killed: that is the point
    }
  }
  return (await Promise.all([send(), send()])).filter((text) => text !== null)
}

test(`${KILLS} kills under top-ups: each key moves money once, with one answer, and one row of the audit`, async () => {
  // Nothing is ever sent there.
  await using gateway = await startGateway({ offers: { m1: [{ provider: { origin: 'http://127.0.0.1:9' } }] } })
  const told = new Map<string, Set<string>>()
  const note = (key: string, texts: readonly string[]) => {
    told.set(key, new Set([...(told.get(key) ?? []), ...texts]))
  }
  for (let kill = 1; kill <= KILLS; kill++) {
    const keys = Array.from({ length: KEYS_PER_KILL }, (_, at) => `kill-${kill}-${at}`)
    const sent = keys.map(async (key) => note(key, await topUp(gateway, key)))
    await Promise.race(sent) // some are on disk, some are not, some were never read
    await gateway.killAndRestart()
    await Promise.all(sent)
    await Promise.all(keys.map(async (key) => note(key, await topUp(gateway, key))))
  }
  expect([...told].filter(([, texts]) => texts.size !== 1)).toEqual([])
  const cents = 100 + KILLS * KEYS_PER_KILL
  const balance = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
  expect((await gateway.admin('GET', '/accounts/test')).body.balance_usd).toBe(balance)
  await gateway.stop()

  const ledger = new Database(join(gateway.dataFolder, 'ledger.db'), { readonly: true })
  const count = (sql: string) => ledger.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${sql}`).get()?.n
  expect(count('entry')).toBe(1 + KILLS * KEYS_PER_KILL)
  expect(count(`audit WHERE action = 'credits.top_up'`)).toBe(1 + KILLS * KEYS_PER_KILL)
  expect(count('idempotency')).toBe(KILLS * KEYS_PER_KILL)
  ledger.close()
}, 120_000)
