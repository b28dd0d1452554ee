import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type UsageKey } from '../../src/store/index.ts'
import { fakeClock } from '../support/fake-clock.ts'

// How fast a year of a million requests a day is told in the reader thread: `bun test/bench/usage-year.ts`. Roll-ups have a row for each
// day, key, model and backend, whatever the number of requests is; the settlements are not made.

const DAYS = 365
const KEYS = 40
const MODELS = 6
const BACKENDS_OF_A_MODEL = 2
const REQUESTS_A_DAY = 1_000_000
const TIMES = 20
const LAST_DAY = 20_700
const DAY_MS = 86_400_000
const MEDIAN = 0.5

const folder = mkdtempSync(join(tmpdir(), 'anyrouter-usage-year-'))
try {
  await (await open()).close() // makes the files
  const rows = fill(new Database(join(folder, 'records.db'), { readwrite: true }))
  const store = await open()
  console.log(`${DAYS} days of ${REQUESTS_A_DAY} requests: ${rows.by_key} rows by key, ${rows.by_offer} by offer`)
  const time = { sinceMs: (LAST_DAY - DAYS) * DAY_MS, untilMs: LAST_DAY * DAY_MS }
  const asked: readonly { by: readonly UsageKey[]; accountId: string | null; keyId: string | null }[] = [
    { by: ['backend', 'day'], accountId: null, keyId: null },
    { by: ['model', 'day'], accountId: null, keyId: null },
    { by: [], accountId: null, keyId: null },
    { by: ['model', 'day'], accountId: 'acc_1', keyId: null },
    { by: ['day'], accountId: null, keyId: 'key_7' },
    { by: ['account'], accountId: null, keyId: null },
    { by: ['key'], accountId: null, keyId: null },
    { by: ['key', 'model'], accountId: null, keyId: null },
  ]
  for (const which of asked) {
    const times: number[] = []
    for (let at = 0; at < TIMES; at++) {
      const began = performance.now()
      const answer = await store.reader.usage({ ...time, ...which })
      times.push(performance.now() - began)
      if (answer.kind !== 'rows' || answer.rows.length === 0) throw new Error('no rows')
    }
    times.sort((one, other) => one - other)
    const ofWhom = which.accountId ?? which.keyId ?? 'all'
    console.log(
      `by ${which.by.join(',') || 'nothing'} of ${ofWhom}: median ${times[Math.floor(TIMES * MEDIAN)]?.toFixed(1)} ms, most ${times.at(-1)?.toFixed(1)} ms`,
    )
  }
  await store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function open() {
  const silent = () => {}
  return openStore({
    dataFolder: folder,
    money: { crash: 'delivered' },
    clock: fakeClock(),
    log: { info: silent, warn: silent, error: silent },
    onFatal: (error) => {
      throw error
    },
  })
}

function fill(db: Database) {
  const share = Math.floor(REQUESTS_A_DAY / (KEYS * MODELS * BACKENDS_OF_A_MODEL))
  const sums = `${share} AS requests, 3 AS voided, ${share * 900} AS units_input, ${share * 100} AS units_cached_input, 0 AS units_cache_write,
    ${share * 250} AS units_output, 0 AS units_reasoning, ${share * 300_000} AS cost, ${share * 300_000} AS charged, 0 AS overrun, ${share * 250_000} AS expense`
  const upTo = (name: string, count: number) =>
    `${name}(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM ${name} WHERE n + 1 < ${count})`
  db.run(`WITH RECURSIVE ${upTo('days', DAYS)}, ${upTo('keys', KEYS)}, ${upTo('models', MODELS)}, ${upTo('backends', BACKENDS_OF_A_MODEL)}
    INSERT INTO usage_by_key SELECT ${LAST_DAY - DAYS} + days.n, 'acc_' || (keys.n % 10), 'key_' || keys.n, 'maker/model-' || models.n,
    'backend-' || (models.n + backends.n), 'operator', ${sums} FROM days, keys, models, backends`)
  db.run(`INSERT INTO usage_by_offer SELECT day, backend, model, owner, sum(requests), sum(voided), sum(units_input), sum(units_cached_input),
    sum(units_cache_write), sum(units_output), sum(units_reasoning), sum(cost), sum(charged), sum(overrun), sum(expense)
    FROM usage_by_key GROUP BY 1, 2, 3, 4`)
  db.run(`INSERT INTO usage_by_payer SELECT day, account_id, key_id, sum(requests), sum(voided), sum(units_input), sum(units_cached_input),
    sum(units_cache_write), sum(units_output), sum(units_reasoning), sum(cost), sum(charged), sum(overrun), sum(expense)
    FROM usage_by_key GROUP BY 1, 2, 3`)
  db.run('UPDATE follower SET settlement_seq = 1') // all of it has been followed
  const count = (table: string) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM usage_${table}`).get()?.n ?? 0
  const rows = { by_key: count('by_key'), by_offer: count('by_offer') }
  db.close()
  return rows
}
