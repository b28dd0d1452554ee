import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './build.ts'
import { busyness } from './busyness.ts'
import { readJunit, type TestCase } from './junit.ts'
import { LANES, type Lane, needsExecutable } from './lanes.ts'

const USAGE = `usage: npm test [-- [--lane default|browser|crash|property|fuzz|distance|soak] [path or part of one ...]]
Runs the test files of a lane, several at once, each in a process of its own with an environment made from nothing.
ANYROUTER_EXE=dist/anyrouter runs the wire tests against that executable instead of building one.`
const ROOT = process.env.ANYROUTER_TEST_ROOT ?? join(import.meta.dir, '..') // another one: to test this runner itself
const PASSED_ON = ['PATH', 'HOME', 'CI'] // and all of ANYROUTER_*; a developer's OPENAI_API_KEY would switch on a preset
const TIMES_OVER_MAX = 6 // a file over its time fails; one that many times over it is ended
const TEST_MS_MAX = 60_000 // a guard against a test that hangs: what is slow is told by its file's time

/** What came of one test file. */
interface FileReport {
  readonly file: string
  readonly tests: readonly TestCase[]
  /** Failures of the file as a whole: it crashed, took too long, has no test. */
  readonly faults: readonly string[]
  readonly output: string
  readonly seconds: number
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { lane: { type: 'string', default: 'default' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const lane = LANES[values.lane]
  if (lane === undefined) return refuse(`no such lane: ${values.lane} (there are ${Object.keys(LANES).join(', ')})`)
  const files = chooseFiles(lane, positionals)
  if (files.length === 0) return refuse(`no test file matches ${[...lane.paths, ...positionals].join(' ')}`)

  const executable = await findExecutable(files)
  if ('reason' in executable) return refuse(executable.reason)
  const temp = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), 'anyrouter-test-'))
  process.once('exit', () => rmSync(temp, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

  const atOnce = Math.min(files.length, availableParallelism())
  console.log(`${files.length} test files, ${atOnce} at once\n`)
  const reports: FileReport[] = []
  const queue = files.entries()
  const worker = async () => {
    for (const [number, file] of queue) {
      const report = await runFile(
        file,
        lane,
        environment(file, lane, executable.path, temp),
        join(temp, `${number}.xml`),
      )
      reports.push(report)
      if (failures(report).length > 0) console.log(`---- ${file}\n${report.output.trim()}\n`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return summarise(reports)
}

function refuse(reason: string): number {
  console.error(reason)
  console.log('\n0 passed, 1 failed')
  return 1
}

/** The lane's files, or those of them (or of all lanes, when a whole path is named) that the filters match. */
function chooseFiles(lane: Lane, filters: readonly string[]): string[] {
  const wanted = (file: string) => filters.length === 0 || filters.some((filter) => file.includes(relative(filter)))
  const files = lane.paths.flatMap(filesUnder).filter(wanted)
  return OWN_PACKAGES.reduce(withPackages, files)
}

/** Folders with packages of their own, so that a newcomer's `npm ci` stays short. */
const OWN_PACKAGES = ['test/clients', 'test/browser']

function withPackages(files: string[], folder: string): string[] {
  const others = files.filter((file) => !file.startsWith(`${folder}/`))
  if (others.length === files.length || existsSync(join(ROOT, folder, 'node_modules'))) return files
  console.log(`${folder} is left out: its packages are not installed (cd ${folder} && npm ci)`)
  return others
}

const relative = (filter: string): string => filter.replace(/^\.\//, '').replace(`${ROOT}/`, '')

function filesUnder(path: string): string[] {
  if (path.endsWith('.test.ts')) return existsSync(join(ROOT, path)) ? [path] : []
  if (!existsSync(join(ROOT, path))) return []
  const found = [...new Bun.Glob('**/*.test.ts').scanSync({ cwd: join(ROOT, path) })]
  return found
    .filter((file) => !file.includes('node_modules/'))
    .sort()
    .map((file) => `${path}/${file}`)
}

/** The executable for the tests that need one: the caller's, or a new one. */
async function findExecutable(files: readonly string[]): Promise<{ path: string | null } | { reason: string }> {
  const given = process.env.ANYROUTER_EXE
  if (given) {
    const path = resolve(ROOT, given)
    return existsSync(path) ? { path } : { reason: `ANYROUTER_EXE names no file: ${path}` }
  }
  if (!files.some(needsExecutable)) return { path: null }
  const result = await build()
  if (!result.ok) return { reason: `build failed: ${result.reason}` }
  console.log(result.summary)
  return { path: result.path }
}

function environment(file: string, lane: Lane, executable: string | null, temp: string): Record<string, string> {
  const env: Record<string, string> = { TMPDIR: temp, ...lane.settings }
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && (PASSED_ON.includes(name) || name.startsWith('ANYROUTER_'))) env[name] = value
  }
  if (executable !== null && (needsExecutable(file) || process.env.ANYROUTER_EXE)) env.ANYROUTER_EXE = executable
  return env
}

async function runFile(file: string, lane: Lane, env: Record<string, string>, reportPath: string): Promise<FileReport> {
  const startedMs = performance.now()
  const flags = ['--reporter=junit', `--reporter-outfile=${reportPath}`, '--only-failures', `--timeout=${TEST_MS_MAX}`]
  const child = Bun.spawn([process.execPath, '--no-orphans', '--no-env-file', 'test', `./${file}`, ...flags], {
    cwd: ROOT,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const kill = setTimeout(() => child.kill('SIGKILL'), lane.fileSecondsMax * TIMES_OVER_MAX * 1000)
  const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const exitCode = await child.exited
  clearTimeout(kill)
  const seconds = (performance.now() - startedMs) / 1000
  const tests = existsSync(reportPath) ? readJunit(readFileSync(reportPath, 'utf8')) : []
  const faults: string[] = []
  const secondsMax = lane.fileSecondsMax * busyness()
  if (seconds > secondsMax) faults.push(`took ${seconds.toFixed(1)} s; ${secondsMax.toFixed(0)} s is the most`)
  if (exitCode !== 0 && !tests.some((test) => test.outcome === 'failed')) {
    faults.push(`ended with ${child.signalCode ?? `exit code ${exitCode}`}, and no test says why`)
  } else if (tests.length === 0) faults.push('ran no test')
  return { file, tests, faults, output: `${said}${complained}`, seconds }
}

/** Every failure of a file, in words. */
function failures({ file, tests, faults }: FileReport): string[] {
  const failed = tests.filter((test) => test.outcome === 'failed')
  return [
    ...failed.map(({ line, name }) => `${line === null ? file : `${file}:${line}`}  ${name}`),
    ...faults.map((fault) => `${file}  ${fault}`),
  ]
}

type Skips = Readonly<Record<string, Readonly<Record<string, string>>>>

function summarise(reports: readonly FileReport[]): number {
  const listed: Skips = JSON.parse(readFileSync(join(ROOT, 'test/skips.json'), 'utf8'))
  const skipped = reports.flatMap(({ file, tests }) =>
    tests.filter((test) => test.outcome === 'skipped').map(({ name }) => ({ file, name, why: listed[file]?.[name] })),
  )
  const unlisted = skipped
    .filter(({ why }) => why === undefined)
    .map(({ file, name }) => `${file}  ${name}: skipped, but not listed in test/skips.json`)
  const failed = [...reports.flatMap(failures), ...unlisted]
  const passedCount = reports.flatMap(({ tests }) => tests).filter((test) => test.outcome === 'passed').length

  for (const failure of failed) console.log(`FAIL ${failure}`)
  for (const { file, name, why } of skipped) if (why !== undefined) console.log(`skipped ${file}  ${name}: ${why}`)
  const slowest = reports.toSorted((one, other) => other.seconds - one.seconds).slice(0, 3)
  console.log(`slowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(1)} s`).join(', ')}`)
  const skips = skipped.length - unlisted.length
  console.log(skips === 0 ? 'no test was skipped\n' : `${skips} skipped, each listed in test/skips.json\n`)
  console.log(`${passedCount} passed, ${failed.length} failed${skips === 0 ? '' : `, ${skips} skipped`}`)
  return failed.length > 0 || passedCount === 0 ? 1 : 0
}

process.exit(await main())
