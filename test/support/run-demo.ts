import { expect } from 'bun:test'
import { tmpdir } from 'node:os'
import { executable } from './run-gateway.ts'

/** The demo's fixed key. */
export const DEMO_KEY = 'sk-ar-v1-demo'

/** Starts the executable's demo on a free port; disposed of as an operator ends it. */
export async function runDemo(): Promise<{ readonly origin: string } & AsyncDisposable> {
  const words = [executable ?? 'dist/anyrouter', 'serve', '--demo', '--port', '0', '--announce']
  // Its data folder is made beside those of the tests.
  const env = { TMPDIR: tmpdir() }
  const child = Bun.spawn(words, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  const { value } = await child.stdout.getReader().read()
  const { port } = JSON.parse(new TextDecoder().decode(value))
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    },
  }
}
