/**
 * Prepares the gateway for the benchmark kit: a configuration that points at the kit's origin, a prepaid account, a key. The kit asks once more
 * for its lane at a distance: then only the configuration is another.
 *   bun test/bench/setup.ts EXECUTABLE FOLDER      (the kit gives BENCH_ORIGIN and BENCH_CA)
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [executable = '', folder = ''] = process.argv.slice(2)
const origin = process.env.BENCH_ORIGIN
if (executable === '' || folder === '' || origin === undefined)
  throw new Error('usage: BENCH_ORIGIN=… setup.ts EXECUTABLE FOLDER')

const ca = process.env.BENCH_CA ?? ''

mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'provider-key'), 'sk-origin\n', { mode: 0o600 })
writeFileSync(
  join(folder, 'anyrouter.yaml'),
  `providers:
  origin:
    credentials: [{ id: main, file: ${join(folder, 'provider-key')} }]
    backends:
      origin: { url: "${origin}", slots: 1024${ca === '' ? '' : `, tls: { ca_file: ${ca} }`} }
models:
  bench-model:
    offers: [{ backend: origin, as: bench-model, price: { input: "0.15", output: "0.60" } }]
`,
)

const data = join(folder, 'data')
if (!existsSync(join(folder, 'key'))) createPayer()

function createPayer(): void {
  run('accounts', 'create', '--name', 'bench')
  run('credits', 'add', '--account', 'bench', '--usd', '1000000')
  const created: unknown = JSON.parse(run('keys', 'create', '--account', 'bench', '--name', 'bench', '--json'))
  if (typeof created !== 'object' || created === null || !('secret' in created))
    throw new Error('keys create --json gave no secret')
  writeFileSync(join(folder, 'key'), String(created.secret), { mode: 0o600 })
}

function run(...words: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([executable, ...words, '--data', data])
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr.toString()}`)
  return stdout.toString()
}
