import { describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type ErrorCode, errorCodes } from '../../../src/domain/index.ts'
import { createPublicApp } from '../../../src/http/index.ts'
import { swaggerPage } from '../../../src/site/index.ts'
import { MODEL } from '../../support/house.ts'
import { checkerOf, examplesOf, type OpenapiDocument, operationsOf } from '../../support/openapi.ts'
import { adminWorld } from './admin/support.ts'

const PAGES = ['/', '/favicon.ico', '/swagger', '/swagger/page.css', '/swagger/page.js', '/swagger/ui.css']
/** Routes that are no operations: pages, what they load, and the way in to the admin API, whose own routes are documented. */
const HIDDEN = [...PAGES, '/swagger/ui.js', '/swagger/json'].map((path) => `GET ${path}`).concat('ALL /admin/v1/*')

/** Codes of what is no operation, or of what nobody is there to be told. */
const NO_OPERATION: ErrorCode[] = ['method_not_allowed', 'client_closed_request']

const world = adminWorld()
const app = createPublicApp({
  house: world.house,
  reports: { accounts: world.house.accounts, store: world.store, vault: world.vault },
  readiness: () => ({ ready: true, reason: null }),
  admin: ({ request }) => world.app.handle(request),
  metrics: async () => new Response(''),
  frontPage: () => ({ html: '', etag: '"0"' }),
  swaggerPage: swaggerPage('test'),
  version: '1.2.3',
  documented: [world.app],
  trustedProxies: () => [],
  cors: () => 'off',
})
const answer = await app.handle(new Request('http://gateway/swagger/json'))
const text = await answer.text()
const document: OpenapiDocument = JSON.parse(text)
const all = operationsOf(document)
const { faults } = checkerOf(document)

describe('the document', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    expect(document.openapi).toBe('3.1.1')
    const validator = new Validator()
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true })
  })

  test('has every route that the apps have, and no other', () => {
    const routes = [...app.routes, ...world.app.routes].map(({ method, path }) => `${method} ${path}`)
    const shown = routes.filter((route) => !HIDDEN.includes(route))
    const asDocumented = shown.map((route) => route.replace(/\*$/, '{model}').replaceAll(/:(\w+)/g, '{$1}'))
    expect(all.map(({ name }) => name).sort()).toEqual(asDocumented.sort())
    expect(routes.filter((route) => HIDDEN.includes(route)).sort()).toEqual(HIDDEN.toSorted())
  })

  test('has every code of the catalogue at some operation', () => {
    const shown = all.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content }) =>
        Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)),
      ),
    )
    expect(errorCodes().filter((code) => !shown.includes(code))).toEqual(NO_OPERATION)
  })

  test('names a model that is served here, not the one of the demo', () => {
    expect(text).toContain(`"model":"${MODEL}"`)
    expect(text).not.toContain('"model":"demo/fast"')
  })

  test('is made once', async () => {
    const again = await app.handle(new Request('http://gateway/swagger/json'))
    expect((await again.text()) === text).toBe(true)
  })
})

describe.each(all.map((documented) => [documented.name, documented] as const))('%s', (_name, { operation, path }) => {
  const { summary, tags, security, parameters = [], requestBody, responses, operationId } = operation

  test('says what it is, who may call it, and how it fails', () => {
    expect(summary).toMatch(/^[A-Z].*[^.]$/)
    expect(document.tags.map(({ name }) => name)).toContain(tags[0] ?? '')
    expect(tags.length).toBe(1)
    expect(all.filter((other) => other.operation.operationId === operationId).length).toBe(1)
    const scheme = Object.keys(security[0] ?? {})[0]
    const isOpen =
      /^(\/healthz|\/readyz|\/api\/v1\/(providers|endpoints\/zdr|embeddings\/models|model(\/.*|s|s\/\{model\}|s\/count|s\/.*\/endpoints)))$/.test(
        path,
      )
    const isOfCallers = /^\/(api\/)?v1\/(?!keys)/.test(path)
    expect(scheme).toBe(isOpen ? undefined : isOfCallers ? 'apiKey' : 'managementKey')
    const statuses = Object.keys(responses).map(Number)
    expect(statuses.filter((status) => status < 300).length).toBe(1)
    if (scheme !== undefined) expect(statuses).toContain(401)
  })

  test('describes its parameters, with an example for those that must be given', () => {
    for (const parameter of parameters) {
      if (parameter.$ref !== undefined) continue
      expect(parameter.description ?? Object(parameter.schema).description).toBeString()
      if (parameter.required) expect(parameter.example ?? parameter.schema?.examples?.[0]).toBeString()
    }
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`)
    expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? [])
  })

  test('has examples, each as its schema says', () => {
    const media = [requestBody, ...Object.values(responses)].flatMap((part) => Object.entries(part?.content ?? {}))
    for (const [type, of] of media) {
      const examples = examplesOf(of)
      expect([type, examples.length]).not.toEqual([type, 0])
      for (const [name, example] of examples) expect([name, faults(of.schema, example)]).toEqual([name, []])
    }
  })
})
