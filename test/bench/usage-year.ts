import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type UsageKey } from '../../src/store/index.ts'
import { fakeClock } from '../support/fake-clock.ts'

// How fast a year of a million requests a day is told in the reader thread: `bun test/bench/usage-year.ts`. Roll-ups have a row for each
// day, key, model and backend, whatever the number of requests is; the settlements are not made.

const DAYS = 365
const DAYS_KEPT = 400 // the year begins within a month
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
  settleEnds(new Database(join(folder, 'ledger.db'), { readwrite: true }))
  const rows = fill(new Database(join(folder, 'records.db'), { readwrite: true }))
  const store = await open()
  console.log(
    `${DAYS} days of ${REQUESTS_A_DAY} requests; of ${DAYS_KEPT}: ${rows.by_key} rows by key, ${rows.by_month} by month, ${rows.by_offer} by offer`,
  )
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
    { by: ['account', 'backend'], accountId: null, keyId: null },
    { by: ['model'], accountId: 'acc_1', keyId: null },
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

/** Days are read from that of the first settlement to that of the last. */
function settleEnds(db: Database) {
  db.run("INSERT INTO account (id, name, kind, created_at_ms) VALUES ('acc_1', 'acme', 'unmetered', 1)")
  db.run(
    "INSERT INTO key (id, account_id, name, hash, prefix, created_at_ms) VALUES ('key_1', 'acc_1', 'first', 'h', 'p', 1)",
  )
  for (const day of [LAST_DAY - DAYS_KEPT, LAST_DAY - 1])
    db.run(`INSERT INTO settlement (request_id, account_id, key_id, ending, reason, units_input, units_cached_input, units_cache_write,
      units_output, units_reasoning, cost, charged, overrun, expense, held, ended_at_ms)
      VALUES ('req_${day}', 'acc_1', 'key_1', 'voided', 'no_answer', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ${day * DAY_MS})`)
  db.close()
}

function fill(db: Database) {
  const share = Math.floor(REQUESTS_A_DAY / (KEYS * MODELS * BACKENDS_OF_A_MODEL))
  const sums = `${share} AS requests, 3 AS voided, ${share * 900} AS units_input, ${share * 100} AS units_cached_input, 0 AS units_cache_write,
    ${share * 250} AS units_output, 0 AS units_reasoning, ${share * 300_000} AS cost, ${share * 300_000} AS charged, 0 AS overrun, ${share * 250_000} AS expense`
  const upTo = (name: string, count: number) =>
    `${name}(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM ${name} WHERE n + 1 < ${count})`
  db.run(`WITH RECURSIVE ${upTo('days', DAYS_KEPT)}, ${upTo('keys', KEYS)}, ${upTo('models', MODELS)}, ${upTo('backends', BACKENDS_OF_A_MODEL)}
    INSERT INTO usage_by_key SELECT ${LAST_DAY - DAYS_KEPT} + days.n, 'acc_' || (keys.n % 10), 'key_' || keys.n, 'maker/model-' || models.n,
    'backend-' || (models.n + backends.n), 'operator', ${sums} FROM days, keys, models, backends`)
  const sumUp = (table: string, keys: string) =>
    db.run(`INSERT INTO ${table} SELECT ${keys}, sum(requests), sum(voided), sum(units_input), sum(units_cached_input), sum(units_cache_write),
      sum(units_output), sum(units_reasoning), sum(cost), sum(charged), sum(overrun), sum(expense) FROM usage_by_key GROUP BY ${keys}`)
  sumUp('usage_by_offer', 'day, backend, model, owner')
  sumUp('usage_by_payer', 'day, account_id, key_id')
  const month = `unixepoch(day * 86400, 'unixepoch', 'start of month') / 86400`
  sumUp('usage_by_month', `${month}, account_id, key_id, model, backend, owner`)
  // One model is shown pictures.
  db.run(`INSERT INTO usage_further SELECT day, account_id, key_id, model, backend, owner, 'inputImage', 100 * requests
    FROM usage_by_key WHERE model = 'maker/model-0'`)
  db.run(`INSERT INTO usage_further_by_month SELECT ${month}, account_id, key_id, model, backend, owner, kind, sum(units)
    FROM usage_further GROUP BY 1, 2, 3, 4, 5, 6, 7`)
  db.run('UPDATE follower SET settlement_seq = 2') // all of it has been followed
  const count = (table: string) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM usage_${table}`).get()?.n ?? 0
  const rows = { by_key: count('by_key'), by_month: count('by_month'), by_offer: count('by_offer') }
  db.close()
  return rows
}
