/**
 * What holds and settlements cost: CPU of the whole process (its threads too) per request, beside the same ledger over a store in memory, and how late the
 * event loop is while each commit takes 5 ms at least: the median of five rounds, for the slowest hundredth of one is some thirty timers.
 *   npm run bench:money -- [--requests 40000] [--folder /var/tmp]
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { money, NO_LIMITS, NO_USAGE } from '../../src/domain/index.ts'
import { createLedger, type Ledger } from '../../src/ledger/index.ts'
import { systemClock } from '../../src/lib/index.ts'
import { openStore } from '../../src/store/index.ts'
import { FaultPanel } from '../../src/store/sqlite/faults.ts'
import { createStoreDouble } from '../support/store-double.ts'

const SILENT = { info() {}, warn() {}, error() {}, fatal() {}, async flush() {} }
const COVERED = {
  offer: 'north/m1',
  backend: 'north',
  price: { input: 1_000_000, output: 2_000_000 },
  cost: { input: 500_000, output: 1_000_000 },
  promptUnits: 100,
}

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '40000' }, folder: { type: 'string', default: tmpdir() } },
})
const COMMIT_MS = 5
const ROUNDS = 5
const LATENESS_REQUESTS = 20_000 // of a round
const REQUESTS = Number(values.requests)

/** A ledger with one rich account, and what closes it. */
interface Subject {
  readonly ledger: Ledger
  readonly faults: FaultPanel
  close(): Promise<void>
}

async function realSubject(): Promise<Subject> {
  const dataFolder = mkdtempSync(join(values.folder, 'anyrouter-money-'))
  process.once('exit', () => rmSync(dataFolder, { recursive: true, force: true })) // where it fails, too
  const faults = new FaultPanel()
  const clock = systemClock()
  const onFatal = (error: Error): never => {
    throw error
  }
  const store = await openStore({ dataFolder, money: { crash: 'delivered' }, clock, log: SILENT, onFatal, faults })
  await store.writer.createAccount({ id: 'acc_1', name: 'a', kind: 'prepaid', createdAtMs: 1 })
  const key = { id: 'key_1', accountId: 'acc_1', name: 'k', hash: 'h', prefix: 'sk-', ...NO_LIMITS, createdAtMs: 1 }
  await store.writer.createKey(key)
  const entry = {
    kind: 'top_up',
    accountId: 'acc_1',
    amount: money(1e15),
    note: null,
    actor: 'bench',
    atMs: 1,
  } as const
  await store.writer.enter(entry)
  const ledger = createLedger({ reads: store.reads, writer: store.writer, clock, log: SILENT, onEvict: () => {} })
  const row = await store.reads.account('acc_1')
  if (row !== null) ledger.open(row)
  const close = async (): Promise<void> => {
    const { clean, settlements } = await store.reader.verify()
    if (!clean) throw new Error(`not clean after ${settlements} settlements`)
    await store.close()
  }
  return { ledger, faults, close }
}

async function doubleSubject(): Promise<Subject> {
  const double = createStoreDouble()
  const account = double.seedAccount({ id: 'acc_1', balance: money(1e15) })
  const { reads, writer } = double
  const ledger = createLedger({ reads, writer, clock: systemClock(), log: SILENT, onEvict: () => {} })
  ledger.open({ account, balance: money(1e15) })
  return { ledger, faults: new FaultPanel(), close: async () => {} }
}

let made = 0

/** As the pipeline does: `slow` waits for its hold on disk before it settles; `quick` settles before the hold is on its way. */
async function request(ledger: Ledger, provider: 'slow' | 'quick'): Promise<void> {
  const requestId = `req_${String(made++).padStart(26, '0')}`
  const opened = ledger.hold({ requestId, accountId: 'acc_1', keyId: 'key_1', amount: money(1000), covers: [COVERED] })
  if (opened === null) throw new Error('the account is poor')
  const settlement = {
    requestId,
    end: 'settled',
    reason: 'completed',
    usage: { ...NO_USAGE, input: 100, output: 50 },
    usageSource: 'reported',
    covered: COVERED,
  } as const
  if (provider === 'quick') {
    const settled = ledger.settleWithHold(settlement)
    if (settled === null) ledger.settle(settlement)
    await settled
    return
  }
  ledger.hurry(requestId)
  await opened.durable
  ledger.settle(settlement)
}

async function load(ledger: Ledger, provider: 'slow' | 'quick', atOnce: number, count: number): Promise<void> {
  let left = count
  const one = async (): Promise<void> => {
    while (left-- > 0) await request(ledger, provider)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

async function cpuUs(make: () => Promise<Subject>, provider: 'slow' | 'quick'): Promise<number> {
  const { ledger, close } = await make()
  await load(ledger, provider, 32, REQUESTS / 4) // warm
  const before = process.cpuUsage()
  await load(ledger, provider, 32, REQUESTS)
  const { user, system } = process.cpuUsage(before)
  await close()
  return (user + system) / REQUESTS
}

interface Lateness {
  readonly p50: number
  readonly p99: number
  /** Without the time in which the event loop could have run and the kernel ran something else: what is our own doing. */
  readonly ownP99: number
}

/** How late a timer of 1 ms comes while something runs, in ms. */
async function lateness(run: () => Promise<unknown>): Promise<Lateness> {
  const late: number[] = []
  const own: number[] = []
  let due = performance.now() + 1
  let waitedMs = waitedForCpuMs()
  const timer = setInterval(() => {
    const lateMs = Math.max(0, performance.now() - due)
    const nowWaitedMs = waitedForCpuMs()
    late.push(lateMs)
    own.push(Math.max(0, lateMs - (nowWaitedMs - waitedMs)))
    waitedMs = nowWaitedMs
    due = performance.now() + 1
  }, 1)
  await run()
  clearInterval(timer)
  return { p50: at(late, 0.5), p99: at(late, 0.99), ownP99: at(own, 0.99) }
}

/** How long this thread has been ready to run and not run, so far (the second figure of https://docs.kernel.org/scheduler/sched-stats.html). */
const waitedForCpuMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6

const medianOf = (values: readonly number[]): number => at(values, 0.5)

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

/** While each commit takes 5 ms at least. The first round warms up and is left out. */
async function slowDisk(atOnce: number): Promise<readonly Lateness[]> {
  const rounds: Lateness[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const { ledger, faults, close } = await realSubject()
    await faults.set({ commitDelayMs: COMMIT_MS })
    await load(ledger, 'slow', atOnce, 2000)
    const measured = await lateness(() => load(ledger, 'slow', atOnce, LATENESS_REQUESTS))
    await faults.set({ commitDelayMs: 0 })
    await close()
    if (round > 0) rounds.push(measured)
  }
  return rounds
}

function fsyncMs(): number {
  const folder = mkdtempSync(join(values.folder, 'anyrouter-fsync-'))
  const file = openSync(join(folder, 'x'), 'w')
  const beganMs = performance.now()
  for (let time = 0; time < 100; time++) {
    writeSync(file, new Uint8Array(4096))
    fsyncSync(file)
  }
  const each = (performance.now() - beganMs) / 100
  closeSync(file)
  rmSync(folder, { recursive: true })
  return each
}

/** The device and the file system that the folder is on. */
function diskOf(folder: string): string {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
  const [device, , kind] = mounts
    .filter(([, at = '/none']) => folder === at || folder.startsWith(at === '/' ? '/' : `${at}/`))
    .sort(([, one = ''], [, other = '']) => other.length - one.length)[0] ?? ['unknown', '', 'unknown']
  return `${device} (${kind})`
}

const load1 = readFileSync('/proc/loadavg', 'utf8').split(' ')[0]
console.log(
  `disk ${diskOf(values.folder)}, one fsync ${fsyncMs().toFixed(2)} ms; load ${load1}; ${REQUESTS} requests\n`,
)
for (const provider of ['slow', 'quick'] as const) {
  const [real, double] = [await cpuUs(realSubject, provider), await cpuUs(doubleSubject, provider)]
  console.log(
    `${provider} provider, 32 at once: ${real.toFixed(1)} µs of CPU a request; over a store in memory ${double.toFixed(1)}`,
  )
}
function tell(what: string, rounds: readonly Lateness[]): void {
  const p50 = medianOf(rounds.map((round) => round.p50))
  const p99 = rounds.map((round) => round.p99)
  const range = `${Math.min(...p99).toFixed(2)}–${Math.max(...p99).toFixed(2)}`
  const own = medianOf(rounds.map((round) => round.ownP99))
  console.log(
    `${what}: timers late by ${p50.toFixed(2)} ms (p50), ${medianOf(p99).toFixed(2)} ms (p99; ${range}; without waits for a CPU ${own.toFixed(2)})`,
  )
}
tell('nothing to do', [await lateness(() => Bun.sleep(5000))])
for (const atOnce of [128, 512]) tell(`each commit ${COMMIT_MS} ms, ${atOnce} at once`, await slowDisk(atOnce))
process.exit(0)
