import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './build.ts'
import { busyness } from './busyness.ts'
import { readJunit, type TestCase } from './junit.ts'
import { LANES, type Lane, needsExecutable, sharesProcess } from './lanes.ts'

const USAGE = `usage: npm test [-- [--lane default|browser|crash|property|fuzz|distance|soak] [path or part of one ...]]
Runs the test files of a lane, several processes at once, in an environment made from nothing. Files of test/unit share
a process, a few at a time, each in a global object of its own; every other file has a process of its own.
ANYROUTER_EXE=dist/anyrouter runs the wire tests against that executable instead of building one.`
const ROOT = process.env.ANYROUTER_TEST_ROOT ?? join(import.meta.dir, '..') // another one: to test this runner itself
const PASSED_ON = ['PATH', 'HOME', 'CI'] // and all of ANYROUTER_*; a developer's OPENAI_API_KEY would switch on a preset
const TIMES_OVER_MAX = 6 // a file over its time fails; one that many times over it is ended
const GROUP_FILES_MAX = 8 // in one process: what they share is the start of bun, what they may lose is each other's results
const TEST_MS_MAX = 60_000 // a guard against a test that hangs: what is slow is told by its file's time

/** What came of one test file. */
interface FileReport {
  readonly file: string
  readonly tests: readonly TestCase[]
  /** Failures of the file as a whole: it crashed, took too long, has no test. */
  readonly faults: readonly string[]
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
  const folders: string[] = []
  process.once('exit', () => folders.forEach(remove))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

  // One more than there are cores: many files wait for a disk or a process.
  const atOnce = Math.min(files.length, availableParallelism() + 1)
  console.log(`${files.length} test files, ${atOnce} at once\n`)
  const reports: FileReport[] = []
  const queue = inGroups(files, Math.min(GROUP_FILES_MAX, Math.ceil(files.length / atOnce))).values()
  const worker = async () => {
    for (const group of queue) {
      const folder = mkdtempSync(join(tmpdir(), 'anyrouter-test-'))
      folders.push(folder)
      const env = environment(group, lane, executable.path, folder)
      const { reports: found, output } = await runGroup(group, lane, env, join(folder, 'junit.xml'))
      const made = withLeavings(found, folder)
      remove(folder)
      reports.push(...made)
      const failed = made.filter((report) => failures(report).length > 0)
      if (failed.length > 0) console.log(`---- ${failed.map(({ file }) => file).join(', ')}\n${output.trim()}\n`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return summarise(reports)
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

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

/** The files in their order, those that may share a process in groups of up to `sizeMax`. */
function inGroups(files: readonly string[], sizeMax: number): string[][] {
  const groups: string[][] = []
  for (const file of files) {
    const last = groups.at(-1)
    if (last !== undefined && last.length < sizeMax && [file, ...last].every(sharesProcess)) last.push(file)
    else groups.push([file])
  }
  return groups
}

function environment(
  files: readonly string[],
  lane: Lane,
  executable: string | null,
  temp: string,
): Record<string, string> {
  const env: Record<string, string> = { TMPDIR: temp, ...lane.settings }
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && (PASSED_ON.includes(name) || name.startsWith('ANYROUTER_'))) env[name] = value
  }
  if (executable !== null && (files.some(needsExecutable) || process.env.ANYROUTER_EXE)) env.ANYROUTER_EXE = executable
  return env
}

async function runGroup(
  files: readonly string[],
  lane: Lane,
  env: Record<string, string>,
  reportPath: string,
): Promise<{ readonly reports: readonly FileReport[]; readonly output: string }> {
  const startedMs = performance.now()
  const flags = ['--reporter=junit', `--reporter-outfile=${reportPath}`, '--only-failures', `--timeout=${TEST_MS_MAX}`]
  if (files.length > 1) flags.push('--isolate')
  const paths = files.map((file) => `./${file}`)
  const child = Bun.spawn([process.execPath, '--no-orphans', '--no-env-file', 'test', ...paths, ...flags], {
    cwd: ROOT,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  // Each further file of a group is given its time.
  const timesMax = TIMES_OVER_MAX + files.length - 1
  const kill = setTimeout(() => child.kill('SIGKILL'), lane.fileSecondsMax * timesMax * 1000)
  const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const exitCode = await child.exited
  clearTimeout(kill)
  const seconds = (performance.now() - startedMs) / 1000
  const end = exitCode === 0 ? null : String(child.signalCode ?? `exit code ${exitCode}`)
  const xml = existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : ''
  return { reports: reportsOf(files, xml, end, seconds, lane), output: `${said}${complained}` }
}

/** What came of each file of a process that took these seconds; `end`: how it ended, when not well. */
function reportsOf(
  files: readonly string[],
  xml: string,
  end: string | null,
  seconds: number,
  lane: Lane,
): FileReport[] {
  const results = new Map(readJunit(xml).map((result) => [result.file, result]))
  const isExplained = [...results.values()].some(({ tests }) => tests.some(({ outcome }) => outcome === 'failed'))
  const isComplete = files.every((file) => results.has(file))
  const secondsMax = lane.fileSecondsMax * busyness()
  return files.map((file) => {
    const { tests = [], seconds: itsSeconds = 0 } = results.get(file) ?? {}
    const took = files.length === 1 ? seconds : itsSeconds
    const faults: string[] = []
    if (took > secondsMax) faults.push(`took ${took.toFixed(1)} s; ${secondsMax.toFixed(0)} s is the most`)
    // Told of the files that are not in the report; of the whole group when each is, and none has a test that failed.
    if (end !== null && (tests.length === 0 || (isComplete && !isExplained))) {
      faults.push(`ended with ${end}, and no test says why`)
    } else if (tests.length === 0) faults.push('ran no test')
    return { file, tests, faults, seconds: took }
  })
}

/** The reports of a process whose tests passed, with what they left in their folder for temporary files: told of its first file. */
function withLeavings(reports: readonly FileReport[], folder: string): readonly FileReport[] {
  const left = readdirSync(folder).filter((name) => name.startsWith('anyrouter-'))
  if (left.length === 0 || reports.some((report) => failures(report).length > 0)) return reports
  const fault = `left behind by ${reports.length === 1 ? 'it' : 'it or its group'}: ${left.join(', ')}`
  return reports.map((report, at) => (at === 0 ? { ...report, faults: [fault] } : report))
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
