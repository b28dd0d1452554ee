import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { simulatedProvider } from '../../src/demo/simulated-provider.ts'
import { systemClock } from '../../src/lib/index.ts'
import {
  checkerOf,
  type Documented,
  examplesOf,
  formOf,
  type OpenapiDocument,
  operationsOf,
} from '../support/openapi.ts'
import { adminOf, checkAtRest, runGateway } from '../support/run-gateway.ts'
import { timingIn } from '../support/server-timing.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { eventually } from '../support/wire-chat.ts'

/** A gateway with the names that the examples use, over a simulated provider. */
const provider = simulatedProvider({
  name: 'north',
  secret: null,
  dials: { latencyMs: 0, heldRequestsMax: 10, models: { fast: { tokensPerSecond: null, failsOneOf: 0, talk: '' } } },
  clock: systemClock(),
})
const price = { input: '0.15', output: '0.60', per_request: '0', per_million_characters: '1.00' }
const CONFIG = {
  providers: {
    'demo-north': { dialects: ['openai', 'anthropic'], backends: { north: { url: provider.baseUrl } } },
    'demo-south': { dialects: ['openai', 'anthropic'], backends: { south: { url: provider.baseUrl } } },
  },
  models: { 'demo/fast': { offers: ['north', 'south'].map((backend) => ({ backend, as: 'fast', price })) } },
}
const folder = temporaryFolder()
const dataFolder = folder.at('data')
const configPath = folder.at('anyrouter.yaml')
writeFileSync(configPath, stringify(CONFIG))
const gateway = await runGateway({ configPath, dataFolder })
const admin = adminOf(dataFolder)

afterAll(async () => {
  await checkAtRest(admin)
  await gateway.stop()
  await provider.close()
  folder[Symbol.dispose]()
})

async function made(path: string, body: unknown): Promise<{ id: string; secret: string }> {
  const answer = await admin('POST', path, body)
  expect(answer.status).toBe(201)
  return answer.body
}

await made('/accounts', { name: 'demo' })
await made('/credits', { account: 'demo', usd: '5.00' })
const SECRETS: Readonly<Record<string, string>> = {
  apiKey: (await made('/keys', { account: 'demo', name: 'walk' })).secret,
  managementKey: (await made('/management-keys', { name: 'walk', scopes: ['read', 'write', 'credits'] })).secret,
}
/** Of an account that nothing is metered for: who may have batches. */
await made('/accounts', { name: 'unmetered', kind: 'unmetered' })
const UNMETERED = (await made('/keys', { account: 'unmetered', name: 'walk' })).secret
/** A management key for each scope that has all the others. */
const WITHOUT: Readonly<Record<string, string>> = {
  read: (await made('/management-keys', { name: 'no read', scopes: ['write', 'credits'] })).secret,
  write: (await made('/management-keys', { name: 'no write', scopes: ['read', 'credits'] })).secret,
  credits: (await made('/management-keys', { name: 'no credits', scopes: ['read', 'write'] })).secret,
}

await made('/accounts', { name: 'poor' })
const POOR = (await made('/keys', { account: 'poor', name: 'walk' })).secret

/** Paths name this one, so that what is tried on an account is not tried on the one that pays; by its id, whatever it is called by then. */
const spare = await made('/accounts', { name: 'spare' })

async function answered(): Promise<Headers> {
  const body = JSON.stringify({ model: 'demo/fast', messages: [{ role: 'user', content: 'Hello' }] })
  const answer = await ask('POST', '/api/v1/chat/completions', { secret: SECRETS.apiKey, body })
  await answer.arrayBuffer()
  return answer.headers
}

let count = 0
/** What a path names, by the parameter and the segment before it: of its own for each request, where it would be used up. */
const NAMED: Readonly<Record<string, () => Promise<string>>> = {
  'accounts/{account}': async () => spare.id,
  'models/{model}': async () => 'demo/fast',
  'model/{model}': async () => 'demo/fast',
  'models/{author}': async () => 'demo',
  'backends/{backend}': async () => 'north',
  'keys/{key}': async () => (await made('/keys', { account: 'demo', name: `key ${count++}` })).id,
  async 'keys/{hash}'() {
    const { secret } = await made('/keys', { account: 'demo', name: `key ${count++}` })
    return Bun.CryptoHasher.hash('sha256', secret, 'hex')
  },
  async 'content/{id}'() {
    expect((await admin('PATCH', '/accounts/demo', { store_content: true })).status).toBe(200)
    const id = (await answered()).get('x-generation-id') ?? ''
    const headers = { authorization: `Bearer ${SECRETS.apiKey}` }
    const path = `/api/v1/generation/content?id=${id}`
    await eventually(async () => (await fetch(gateway.origin + path, { headers })).ok || undefined)
    return id
  },
  'generation/{id}': async () => (await answered()).get('x-generation-id') ?? '',
  async 'responses/{response}'() {
    const body = JSON.stringify({ model: 'demo/fast', input: 'Hello', background: true })
    const answer = await ask('POST', '/v1/responses', { secret: SECRETS.apiKey, body })
    return Object(await answer.json()).id
  },
  'files/{file}': () => sentFile(SECRETS.apiKey),
  async 'batches/{batch}'() {
    const batch = {
      input_file_id: await sentFile(UNMETERED),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    }
    const answer = await ask('POST', '/v1/batches', { secret: UNMETERED, body: JSON.stringify(batch) })
    return Object(await answer.json()).id
  },
  'management-keys/{key}': async () =>
    (await made('/management-keys', { name: `management key ${count++}`, scopes: ['read'] })).id,
  async 'credentials/{credential}'() {
    const credential = { provider: 'demo-north', name: `credential ${count++}`, secret: 'some-secret' }
    return (await made(`/accounts/${spare.id}/credentials`, credential)).id
  },
  async 'quarantine/{backend}'() {
    expect((await admin('PUT', '/quarantine/south', { reason: 'the walk' })).status).toBe(200)
    return 'south'
  },
  async 'records/{request}'() {
    const id = (await answered()).get('x-request-id') ?? ''
    // Records are written behind the answers.
    await eventually(async () => (await admin('GET', `/records/${id}`)).status === 200 || undefined)
    return id
  },
}

/** The body with what it names in the place of the document's. */
async function namedIn(path: string, body: string | undefined): Promise<string | undefined> {
  if (path.endsWith('/batches')) return body?.replace('file-7Q', await sentFile(UNMETERED))
  if (!path.endsWith('/refunds')) return body
  const id = (await NAMED['records/{request}']?.()) ?? ''
  return body?.replace(/(req_|gen-)[0-9a-f]{32}/, (_all, prefix: string) => id.replace('req_', prefix))
}

interface Asked {
  readonly secret?: string | undefined
  readonly body?: string | undefined
  /** The body's fields are those of a form. */
  readonly asForm?: boolean | undefined
}

/** An id of a file of the key's account. */
async function sentFile(secret: string | undefined): Promise<string> {
  const body = JSON.stringify({ file: '', purpose: 'batch' })
  return Object(await (await ask('POST', '/v1/files', { secret, body, asForm: true })).json()).id
}

const ask = (method: string, path: string, { secret, body, asForm = false }: Asked): Promise<Response> =>
  fetch(`${gateway.origin}${path}`, {
    method,
    headers: {
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(body === undefined || asForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: asForm ? formOf(JSON.parse(body)) : body }),
  })

const document: OpenapiDocument = Object(await (await fetch(`${gateway.origin}/swagger/json`)).json())
const { faults, unnamed } = checkerOf(document)

/** The path with something in it for each parameter, and the query that must be given. */
async function placeOf({ path, operation }: Documented, names = NAMED): Promise<string> {
  let place = path
  for (const [segment = ''] of path.matchAll(/[^/]+\/\{\w+\}/g)) {
    const name = names[segment]
    if (name === undefined) throw new Error(`tell this test what to put into ${segment}`)
    const value = await name()
    place = place.replace(segment, segment.replace(/\{\w+\}/, value))
  }
  place = place.replace('/{slug}', '/fast')
  if (path.includes('/webhook')) await admin('PUT', `/accounts/${spare.id}/webhook`, { url: 'https://hooks.example/' })
  const query: string[] = []
  for (const { name, schema } of (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required))
    query.push(`${name}=${(await names[`${path.split('/').at(-1)}/{${name}}`]?.()) ?? schema?.examples?.[0]}`)
  return query.length === 0 ? place : `${place}?${query.join('&')}`
}

const secretOf = ({ path, operation }: Documented): string | undefined =>
  path.includes('/batches') ? UNMETERED : SECRETS[Object.keys(operation.security[0] ?? {})[0] ?? '']

const statusOf = ({ operation }: Documented): number =>
  Number(Object.keys(operation.responses).find((status) => status.startsWith('2')))

/** Checks an answer against what is documented for its status: headers, type, form, no field that is not named, and the code of an error. */
async function expectAsDocumented({ operation }: Documented, answer: Response): Promise<void> {
  const documented = operation.responses[answer.status]
  const said = await answer.text()
  expect([answer.status, documented?.description, said]).toEqual([answer.status, expect.any(String), said])
  for (const header of Object.keys(documented?.headers ?? {})) expect(answer.headers.get(header)).toBeString()
  if (documented?.headers?.['Server-Timing'] !== undefined) timingIn(answer.headers.get('server-timing'))
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  const media = documented?.content[type]
  if (media === undefined) throw new Error(`${type} is not documented for ${answer.status}`)
  if (type !== 'application/json') return
  const body = JSON.parse(said)
  expect(faults(media.schema, body)).toEqual([])
  expect(unnamed(media.schema, body)).toEqual([])
  const { code, metadata } = body.error ?? {} // in OpenRouter's form `code` is the status
  const told = typeof code === 'number' ? metadata.code : code
  if (told !== undefined) expect(Object.keys(media.examples ?? {})).toContain(told)
}

describe.each(operationsOf(document).map((documented) => [documented.name, documented] as const))('%s', (_, it) => {
  const { method, operation } = it
  const requests = Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, media]) =>
    examplesOf(media).map(([name, given]): [name: string, body: string | undefined, asForm: boolean] => [
      `${name}, ${type}`,
      typeof given === 'string' ? given : JSON.stringify(given),
      type === 'multipart/form-data',
    ]),
  )
  if (requests.length === 0) requests.push(['no body', undefined, false])
  const secret = secretOf(it)
  const scope = operation.security[0]?.managementKey?.[0]

  test.each(requests)('%s', async (_name, body, asForm) => {
    const named = await namedIn(it.path, body)
    const answer = await ask(method, await placeOf(it), { secret, body: named, asForm })
    expect(answer.status).toBe(statusOf(it))
    await expectAsDocumented(it, answer)
  })

  const [, body, asForm] = requests[0] ?? []
  if (operation.security.length === 0) return

  test('401 with a key that nobody has, and without one where one must be shown', async () => {
    for (const wrong of ['sk-ar-v1-nobody', 'ak_nobody', ...(secret === undefined ? [] : [undefined])]) {
      const answer = await ask(method, await placeOf(it), { secret: wrong, body, asForm })
      expect(answer.status).toBe(401)
      await expectAsDocumented(it, answer)
    }
  })
  if (secret === undefined) return

  if (scope !== undefined) {
    test(`403 without the scope ${scope}`, async () => {
      const answer = await ask(method, await placeOf(it), { secret: WITHOUT[scope], body })
      expect(answer.status).toBe(403)
      await expectAsDocumented(it, answer)
    })
  }

  if (scope === undefined && body !== undefined && !/files|batches/.test(it.path)) {
    test('402 for who has nothing, where it is told', async () => {
      const answer = await ask(method, await placeOf(it), { secret: POOR, body, asForm })
      expect(answer.status).toBe(operation.responses[402] === undefined ? statusOf(it) : 402)
      await expectAsDocumented(it, answer)
    })
  }

  if (operation.requestBody?.content['application/json'] !== undefined) {
    test('400 for a body that is no JSON', async () => {
      const answer = await ask(method, await placeOf(it), { secret, body: '{"' })
      expect(answer.status).toBe(400)
      await expectAsDocumented(it, answer)
    })
  }

  for (const [segment] of it.path.matchAll(/[^/]+\/\{\w+\}/g)) {
    test(`404 for a ${segment} that is not there`, async () => {
      const answer = await ask(method, await placeOf(it, { ...NAMED, [segment]: async () => 'nothing' }), {
        secret,
        body,
      })
      expect(answer.status).toBe(404)
      await expectAsDocumented(it, answer)
    })
  }
})

const FILE = { type: 'file', file: { file_id: 'file-nobody' } }
const WRONG: [name: string, given: object | string][] = [
  ['POST /v1/chat/completions', { messages: [{ role: 'user', content: [FILE] }] }],
  ['POST /v1/responses', { previous_response_id: 'resp_nobody' }],
  ['POST /api/v1/responses', { input: [{ type: 'item_reference', id: 'msg_nobody' }] }],
  ['POST /v1/responses/input_tokens', { conversation: 'conv_nobody' }],
  ['POST /v1/batches', { input_file_id: 'file-nobody', endpoint: '/v1/chat/completions', completion_window: '24h' }],
  ['GET /api/v1/batches', '?limit=0'],
]

test.each(WRONG)('%s: 400 for a name of what nobody keeps, or a limit that is none', async (name, given) => {
  const it = operationsOf(document).find((one) => one.name === name)
  if (it === undefined) throw new Error(`no ${name}`)
  const [query, body] =
    typeof given === 'string' ? [given] : ['', JSON.stringify({ model: 'demo/fast', input: 'Hello', ...given })]
  const answer = await ask(it.method, it.path + query, { secret: secretOf(it), body })
  expect(answer.status).toBe(400)
  await expectAsDocumented(it, answer)
})
