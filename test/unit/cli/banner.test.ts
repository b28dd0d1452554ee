import { describe, expect, test } from 'bun:test'
import { banner, demoBanner, demoEnd, isLoopbackHost, reachable } from '../../../src/cli/banner.ts'
import { startDemo } from '../../../src/demo/index.ts'
import { systemRandom } from '../../../src/lib/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const NOTHING = { backends: new Map(), models: new Map(), aliases: new Map() }
const facts = {
  version: '0.1.0',
  host: '127.0.0.1',
  origin: 'http://127.0.0.1:8080',
  dataFolder: './d',
  program: 'dist/anyrouter',
  parts: NOTHING,
  configPath: null,
  presets: [],
  first: null,
}

describe('of a server', () => {
  test('says where it listens, where its data is, and what to do without a provider', () => {
    expect(banner(facts)).toBe(
      [
        'anyrouter 0.1.0',
        "  API       http://127.0.0.1:8080/v1            OpenAI SDK base URL; OpenRouter's clients take /api/v1",
        '  Pages     http://127.0.0.1:8080/              what it serves, what to try',
        '  Swagger   http://127.0.0.1:8080/swagger',
        '  Data      ./d',
        '  Config    none: the defaults and the environment',
        '  Models    none yet, /readyz is 503. Three ways on:',
        '            OPENAI_API_KEY=... dist/anyrouter   a key in the environment (or GROQ_API_KEY, GEMINI_API_KEY, ...)',
        '            dist/anyrouter init                 writes a configuration to begin with',
        '            dist/anyrouter --demo               simulated providers, no account anywhere',
        '',
        '  Ctrl-C drains and stops.',
        '',
      ].join('\n'),
    )
  })

  test('remarks stand below each other, however the program is called', () => {
    const text = banner({ ...facts, program: '/usr/local/bin/anyrouter' })
    expect(text).toContain('  OPENAI_API_KEY=... /usr/local/bin/anyrouter a key')
    expect(text).toContain('  /usr/local/bin/anyrouter init               writes')
  })

  test('warns when other machines reach it, for there is no TLS', () => {
    const text = banner({ ...facts, host: '0.0.0.0' })
    expect(text).toContain('Warning   0.0.0.0 is open to other machines')
    expect(text).toContain('Caddy or nginx')
  })
})

test('of the demo: to the letter', async () => {
  const demo = startDemo({ clock: fakeClock(), random: systemRandom() })
  const { parts, notes } = demo
  const here = { ...facts, dataFolder: '/tmp/x' }
  const text = demoBanner({ ...here, parts, notes, secret: 'sk-ar-v1-demo' }) + demoEnd(here)
  await demo.close()
  expect(text).toBe(`anyrouter 0.1.0   demo: two simulated providers, data in /tmp/x (removed at exit)
  API       http://127.0.0.1:8080/v1            OpenAI SDK base URL; OpenRouter's clients take /api/v1
  Pages     http://127.0.0.1:8080/              what it serves, what to try
  Swagger   http://127.0.0.1:8080/swagger
  Key       sk-ar-v1-demo                       account demo, $5.00    (loopback only)
  Models    demo/fast   $0.15 in / $0.60 out per M   2 backends: north 20 ms, south 35 ms
            demo/slow   $1.00 / $4.00                streams 20 tokens/s
            demo/flaky  $0.15 / $0.60                north fails 1 of 3; watch it fall back
            demo/gift   $0.00 / $0.00                costs nothing: what anyrouter/free takes

  Try it
    curl -i http://127.0.0.1:8080/v1/chat/completions -H 'Authorization: Bearer sk-ar-v1-demo' \\
      -H 'content-type: application/json' -d '{"model":"demo/fast","messages":[{"role":"user","content":"Hello"}]}'


  dist/anyrouter --data /tmp/x route --model demo/flaky      why which backend
  Ctrl-C drains and stops.
`)
})

test('which hosts only this machine reaches', () => {
  expect(['localhost', '127.0.0.1', '127.9.9.9', '::1'].map(isLoopbackHost)).toEqual([true, true, true, true])
  expect(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'].map(isLoopbackHost)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('an address that stands for all addresses is shown as one that can be called', () => {
  expect(reachable('http://0.0.0.0:80')).toBe('http://127.0.0.1:80')
  expect(reachable('http://[::]:80')).toBe('http://[::1]:80')
  expect(reachable('http://10.0.0.1:80')).toBe('http://10.0.0.1:80')
})
