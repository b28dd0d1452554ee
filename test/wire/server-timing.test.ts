import { afterAll, describe, expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { examplesOf, formOf, type OpenapiDocument, operationsOf } from '../support/openapi.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { timingIn } from '../support/server-timing.ts'

// Answers that went well, and those to bad keys and bad bodies, are looked at in openapi.test.ts.

const provider = await scriptedProvider()
const price = { input: '1', output: '1', per_request: '0', per_million_characters: '1' }
const backend = { dialects: ['openai', 'anthropic'] }
const gateway = await startGateway({
  offers: { m1: [{ provider, price, backend }] },
  balanceUsd: null,
  yaml: { quarantine: { failures: 1000, window_min: 1000 } },
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const document: OpenapiDocument = Object(await (await fetch(`${gateway.origin}/swagger/json`)).json())

/** What is sent to a provider. A batch is not: it names a file, which nobody has. */
const asked = operationsOf(document).filter(
  ({ method, path, operation }) =>
    method === 'POST' &&
    !/[{]|\/batches$/.test(path) &&
    Object.values(operation.responses).some(({ headers }) => headers?.['Server-Timing'] !== undefined),
)

const bodies = asked.flatMap(({ name, path, operation }) =>
  Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, media]) =>
    examplesOf(media).map(([example, body]) => ({
      name: `${name}, ${example}, ${type}`,
      path,
      type,
      body: Object(body),
    })),
  ),
)

test('all operations are there', () => {
  expect(asked.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/v1/chat/completions', '/v1/messages', '/api/v1/responses', '/v1/audio/transcriptions']),
  )
  expect(asked.length).toBeGreaterThan(30)
})

describe.each([
  ['fails', 500, 502],
  ['refuses it', 400, 400],
] as const)('a provider that %s: the time of its attempt is told', (_, said, status) => {
  test.each(bodies.map((one) => [one.name, one] as const))('%s', async (_name, { path, type, body }) => {
    provider.script(json(said, { error: { message: 'no' } }))
    const asked =
      type === 'multipart/form-data'
        ? { headers: bearer(gateway), body: formOf(body) }
        : { headers: { ...bearer(gateway), 'content-type': type }, body: JSON.stringify(body) }
    const answer = await fetch(`${gateway.origin}${path}`, { method: 'POST', ...asked })
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining('"error"')])
    const timing = timingIn(answer.headers.get('server-timing'))
    expect([...timing.keys()].filter((name) => name.startsWith('upstream'))).toEqual(['upstream', 'upstream-1'])
  })
})
