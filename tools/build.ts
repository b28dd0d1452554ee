import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Files that run in a thread of their own: each must be an entry point, or the executable does not find it. */
const WORKERS = ['src/store/sqlite/writer.ts', 'src/store/sqlite/reader.ts']
const EXECUTABLE = 'dist/anyrouter'
const ROOT = join(import.meta.dir, '..')

/** Why each flag is there: docs/decisions and https://bun.com/docs/bundler/executables. */
const FLAGS = [
  '--compile',
  '--production',
  '--sourcemap',
  '--bytecode',
  '--format=esm', // --bytecode alone would not allow a top-level await
  // Without these two the executable reads `.env` and runs the `bunfig.toml` of whatever folder it is started in.
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--entry-naming=[name].[ext]', // otherwise a worker in a sub-folder is not found
  '--compile-exec-argv=--max-http-header-size=65536', // our own 431 comes at 32 KB, with a body
  '--asset=migrations',
]

export type BuildResult =
  | { readonly ok: true; readonly path: string; readonly summary: string }
  | { readonly ok: false; readonly reason: string }

/** Builds the executable. The old one stays in place until the new one is whole. */
export async function build(): Promise<BuildResult> {
  const startedMs = performance.now()
  const entries = ['src/main.ts', ...WORKERS]
  const missing = entries.filter((entry) => !existsSync(join(ROOT, entry)))
  if (missing.length > 0) return { ok: false, reason: `no such entry point: ${missing.join(', ')}` }

  const path = join(ROOT, EXECUTABLE)
  const workshop = `${path}.building-${process.pid}` // also takes the source maps, which the executable holds too
  const unfinished = join(workshop, basename(EXECUTABLE))
  try {
    const bundler = Bun.spawn([process.execPath, 'build', ...FLAGS, ...entries, '--outfile', unfinished], {
      cwd: ROOT,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [said, complained] = await Promise.all([bundler.stdout.text(), bundler.stderr.text()])
    const exitCode = await bundler.exited
    if (exitCode !== 0 || !existsSync(unfinished)) {
      return { ok: false, reason: `bun build ended with ${exitCode}\n${said}${complained}`.trimEnd() }
    }
    renameSync(unfinished, path)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
  const megabytes = Math.round(statSync(path).size / 1e6)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  return { ok: true, path, summary: `built ${EXECUTABLE} (${megabytes} MB, ${seconds} s)` }
}

if (import.meta.main) {
  const result = await build()
  if (!result.ok) {
    console.error(`build failed: ${result.reason}`)
    process.exit(1)
  }
  console.log(result.summary)
}
