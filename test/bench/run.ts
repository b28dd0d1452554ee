/**
 * Benchmarks the compiled executable against nginx and Portkey with the kit in `kit/`, all features on, then asks the gateway's own
 * books whether the run was honest.
 *   npm run bench -- [--quick] [--lanes json,sse] [--no-portkey] …      (options of kit/compare.ts)
 */
import { Database } from 'bun:sqlite'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { costOf } from '../../src/domain/index.ts'

const here = import.meta.dir
const executable = join(here, '../../dist/anyrouter')
if (!existsSync(executable)) throw new Error('dist/anyrouter is missing: npm run build')

const folder = mkdtempSync(join(tmpdir(), 'anyrouter-bench-'))
const data = join(folder, 'data')
const kit = Bun.spawn(
  [
    process.execPath,
    join(here, 'kit/compare.ts'),
    ...['--gateway-setup', `${process.execPath} ${join(here, 'setup.ts')} ${executable} ${folder}`],
    ...['--gateway-cmd', `exec ${executable} serve --config ${folder}/anyrouter.yaml --data ${data} --port {port}`],
    ...['--url', 'http://127.0.0.1:{port}/v1', '--key', `@${folder}/key`],
    ...['--check', join(here, 'ratios.json'), ...process.argv.slice(2)],
  ],
  { stdio: ['ignore', 'inherit', 'inherit'] },
)
const kitCode = await kit.exited
const problems = proveHonesty()
rmSync(folder, { recursive: true, force: true })
process.exit(kitCode !== 0 ? kitCode : problems.length > 0 ? 1 : 0)

interface Row {
  readonly [column: string]: string | number | null
}

/** What the books must say after a run: verified, nothing open, every answer settled, every charge its usage × price, on a disk. That commits reach it is `test/crash/power-loss.test.ts`. */
function proveHonesty(): string[] {
  const found: string[] = []
  const verify = Bun.spawnSync([executable, 'ledger', 'verify', '--data', data])
  if (verify.exitCode !== 0) found.push(`ledger verify: ${verify.stdout.toString()}${verify.stderr.toString()}`)
  const ledger = new Database(join(data, 'ledger.db'), { readonly: true })
  const holds = count(ledger, 'SELECT count(*) AS n FROM hold')
  if (holds !== 0) found.push(`${holds} holds are open`)
  const settlements = ledger.query<Row, []>("SELECT * FROM settlement WHERE ending = 'settled'").all()
  const wrong = settlements.filter((row) => Number(row.cost) !== expectedCost(row)).length
  if (wrong > 0) found.push(`${wrong} settlements do not cost their usage × price`)
  const records = new Database(join(data, 'records.db'), { readonly: true })
  // The kit ends the gateway without warning after some lanes: a record may be lost then, a settlement never.
  const answered = count(records, 'SELECT count(*) AS n FROM request WHERE status = 200')
  if (answered > settlements.length) found.push(`${answered} answers with 200, only ${settlements.length} settlements`)
  const onMemory = statfsSync(data).type === 0x01021994 // tmpfs
  if (onMemory) found.push('the data folder is on tmpfs, not on a disk')
  console.log(
    `\nhonesty: ${settlements.length} settlements, ${answered} answers with 200, ${holds} open holds, ledger ${verify.exitCode === 0 ? 'clean' : 'NOT clean'}`,
  )
  for (const problem of found) console.log(`  NOT HONEST: ${problem}`)
  return found
}

function expectedCost(row: Row): number {
  const price: unknown = JSON.parse(String(row.prices)).price
  const usage = {
    input: Number(row.units_input),
    cachedInput: Number(row.units_cached_input),
    cacheWrite: Number(row.units_cache_write),
    output: Number(row.units_output),
    reasoning: Number(row.units_reasoning),
  }
  return costOf(usage, price as Parameters<typeof costOf>[1])
}

function count(database: Database, sql: string): number {
  return database.query<{ n: number }, []>(sql).get()?.n ?? -1
}
