import { expect, test } from 'bun:test'
import { problemsOfSent } from '../../../src/cli/read-config.ts'
import type { Surroundings } from '../../../src/config/index.ts'

const opened: string[] = []
const surroundings: Surroundings = {
  env: { SET: 'sk-1' },
  wallMs: () => Date.UTC(2026, 6, 1),
  async readFile(path) {
    opened.push(path)
    throw Object.assign(new Error(path), { code: 'ENOENT' })
  },
}

const sent = (credential: string, tls: string) => `providers:
  acme:
    credentials: [${credential}]
    backends:
      a: { url: "https://api.acme.example/v1", ${tls} proxy: { url: "http://proxy:3128", credential: { file: /etc/proxy } } }
`

test('of a text that was sent no file is opened, whatever it names: its sender learns nothing of this machine', async () => {
  const tls = 'tls: { ca_file: /etc/ca.pem, cert_file: /etc/shadow, key_file: /dev/stdin },'
  const problems = await problemsOfSent(sent('{ id: a, file: /etc/shadow }, { id: b, env: SET }', tls), null, {
    surroundings,
  })
  expect({ problems, opened }).toEqual({ problems: [], opened: [] })
})

test('everything else in it is checked', async () => {
  const text = sent('{ id: a, fle: x }', 'slot: 3,')
  const paths = (await problemsOfSent(text, null, { surroundings })).map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['providers.acme.credentials.0.fle', 'providers.acme.backends.a.slot']))
  const unset = await problemsOfSent(sent('{ id: a, env: UNSET }', ''), null, { surroundings })
  expect(unset).toMatchObject([{ path: 'providers.acme.credentials.0.env', reason: expect.stringContaining('UNSET') }])
  expect(opened).toEqual([])
})
