import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable } from '../support/run-gateway.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dir, '../..')

/** Blocks that need root, another program or the network; by their first line. Their fence says `sh untested`. */
const UNTESTED: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['npm ci && npm start', 'npm run build', 'npm ci && npm test'],
  'docs/operating/backup.md': ['systemctl stop anyrouter'],
  'docs/operating/credits.md': ['anyrouter credits refund --request req_…'],
  'docs/operating/doctor.md': ['anyrouter doctor'],
  'docs/operating/install.md': [
    'install -m 0755 dist/anyrouter /usr/local/bin/anyrouter',
    'systemctl daemon-reload',
    '# The new version, the configuration in use, the secrets that it names.',
  ],
}

/** A server, and a management key of the scope read. */
const WITH_READER = `anyrouter serve --config anyrouter.yaml
    key=$(anyrouter management-keys create --name reader --scopes read --json | sed -n 's/.*"secret": "\\(.*\\)".*/\\1/p')
    echo "export MANAGEMENT_KEY=$key" >"$BASH_ENV"`

/** An account, and a key of it. */
const WITH_KEY = `anyrouter accounts create --name team
    id=$(anyrouter keys create --account team --name first --json | sed -n 's/.*"id": "\\(key_.*\\)".*/\\1/p')
    echo "export KEY_ID=$id" >"$BASH_ENV"`

/** What a reader has done before the first block. */
const BEFORE: Readonly<Record<string, string>> = {
  'README.md': 'dist/anyrouter serve --demo',
  'docs/operating/README.md': 'anyrouter serve --config anyrouter.yaml',
  'docs/operating/backends.md': 'anyrouter serve --config anyrouter.yaml',
  'docs/operating/admin.md': WITH_READER,
  'docs/operating/metrics.md': WITH_READER,
  'docs/operating/backup.md': 'anyrouter accounts create --name somebody',
  'docs/operating/credits.md': 'anyrouter accounts create --name team',
  'docs/operating/webhooks.md': 'anyrouter accounts create --name team',
  'docs/operating/keys.md': WITH_KEY,
  'docs/operating/policies.md': `anyrouter serve --config anyrouter.yaml
    ${WITH_KEY}`,
  'docs/operating/routing.md': WITH_KEY,
  'docs/operating/reload.md': 'anyrouter serve --config anyrouter.yaml',
  'docs/operating/usage.md': 'anyrouter serve --config anyrouter.yaml',
}

/** A provider that knows no model, but answers. */
const provider = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ object: 'list', data: [] }) })

/** The configuration of a reader whose document shows none. */
const CONFIG = `
providers: { acme: { backends: { acme-ca: { url: "http://127.0.0.1:${provider.port}/v1" } } } }
models: { acme/small: { offers: [{ backend: acme-ca, price: { input: "0.15", output: "0.60" } }] } }
`

const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs/operating')).map((name) => `docs/operating/${name}`),
].filter((path) => path.endsWith('.md'))

interface Block {
  /** What stands behind the fence: the language, and more. */
  readonly info: string
  readonly text: string
}

const blocksOf = (path: string): Block[] =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```(\S.*)\n([\s\S]*?)^```$/gm)].map(
    ([, info = '', text = '']) => ({
      info: info.trim(),
      text,
    }),
  )

/**
 * `serve` goes on in the background, on a free port, in place of the one before; the block goes on when it listens. All else is the
 * executable itself.
 */
const WRAPPER = `#!/bin/bash
set -euo pipefail
if [ "\${1:-}" != serve ]; then exec "$EXE" "$@"; fi
if [ -f "$WORLD/pid" ]; then
  kill -TERM "$(cat "$WORLD/pid")" && tail --pid="$(cat "$WORLD/pid")" -f /dev/null
fi
rm -f "$WORLD/said" && mkfifo "$WORLD/said"
"$EXE" "$@" --port "$PORT" --announce >"$WORLD/said" 2>"$WORLD/log" </dev/null &
echo $! >"$WORLD/pid"
read -r said <"$WORLD/said" || { cat "$WORLD/log" >&2; exit 1; }
`

const worlds: TemporaryFolder[] = []

afterAll(() => {
  void provider.stop(true)
  for (const world of worlds) {
    try {
      process.kill(Number(readFileSync(world.at('pid'), 'utf8')), 'SIGKILL')
    } catch {
      // no server, or it has ended
    }
    world[Symbol.dispose]()
  }
})

/** A folder as a reader has it, and a shell in it. */
function world() {
  const made = temporaryFolder()
  worlds.push(made)
  const folder = made.path
  for (const place of ['bin', 'dist']) {
    mkdirSync(join(folder, place))
    writeFileSync(join(folder, place, 'anyrouter'), WRAPPER, { mode: 0o755 })
  }
  writeFileSync(join(folder, 'anyrouter.yaml'), CONFIG)
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\n') // else an error answer is a success
  const probe = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const port = String(probe.port)
  void probe.stop(true)
  const env = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    EXE: executable ?? '',
    WORLD: folder,
    PORT: port,
    CURL_HOME: folder,
    BASH_ENV: join(folder, 'env'),
    TMPDIR: tmpdir(), // of the demo's data
  }
  return {
    folder,
    async run(text: string): Promise<void> {
      const shell = Bun.spawn(['bash', '-euo', 'pipefail', '-c', text.replaceAll(':8080', `:${port}`)], {
        cwd: folder,
        env,
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [said, complained] = await Promise.all([shell.stdout.text(), shell.stderr.text()])
      const code = await shell.exited
      if (code !== 0) throw new Error(`exit ${code}:\n${text}\n${said}${complained}`)
    },
  }
}

describe.each(documents)('%s', (path) => {
  const blocks = blocksOf(path)

  test('says of each command block whether it is tested', () => {
    const untested = blocks.filter(({ info }) => info === 'sh untested').map(({ text }) => text.split('\n')[0])
    expect(untested.map((line) => line?.replace(/ +#.*/, ''))).toEqual([...(UNTESTED[path] ?? [])])
    const shells = blocks.filter(({ info }) => /^(sh|bash|shell|console)\b/.test(info))
    expect(shells.filter(({ info }) => info !== 'sh' && info !== 'sh untested')).toEqual([])
  })

  test('its commands do what it says', async () => {
    const here = world()
    const [first] = blocks.filter(({ info, text }) => info === 'yaml' && text.includes('providers:'))
    if (first !== undefined) writeFileSync(join(here.folder, 'anyrouter.yaml'), first.text)
    const before = BEFORE[path]
    if (before !== undefined) await here.run(before)
    for (const { info, text } of blocks) if (info === 'sh') await here.run(text)
  }, 60_000)
})
