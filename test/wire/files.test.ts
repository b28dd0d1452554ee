import { afterAll, describe, expect, test } from 'bun:test'
import { json, status } from '../support/script.ts'
import { balanceOf, errorOf } from '../support/wire-chat.ts'
import { askKept, fileBody, fileForm, sendFile, strangerOf } from '../support/wire-kept.ts'
import { operationWorld } from '../support/wire-operations.ts'

const PATH = '/v1/files'

test('a file goes to a backend byte for byte, is found there by its account, and costs nothing', async () => {
  await using world = await operationWorld(
    {},
    json(fileBody('file-1')),
    json(fileBody('file-1', { status: 'processed' })),
    status(200, 'a\nb', { 'content-type': 'application/jsonl' }),
    json({ id: 'file-1', object: 'file', deleted: true }),
  )
  const { gateway, provider } = world
  const form = fileForm('{"a":1}\n')
  expect(await sendFile(gateway, form).json()).toEqual(fileBody('file-1'))
  const sent = await provider.arrived()
  expect(sent.body.toString()).toBe(form)
  expect(sent.header('content-type')).toMatch(/^multipart\/form-data; boundary=/)
  expect(sent.header('authorization')).toBe('Bearer sk-provider-canary-0123456789')
  expect(await askKept(gateway, 'GET', `${PATH}/file-1`).json()).toMatchObject({ status: 'processed' })
  const content = askKept(gateway, 'GET', `${PATH}/file-1/content`)
  expect((await content.head()).header('content-type')).toBe('application/jsonl')
  expect(await content.text()).toBe('a\nb')
  expect(await askKept(gateway, 'DELETE', `${PATH}/file-1`).json()).toMatchObject({ deleted: true })
  expect(provider.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
    'POST /v1/files',
    'GET /v1/files/file-1',
    'GET /v1/files/file-1/content',
    'DELETE /v1/files/file-1',
  ])
  expect(await balanceOf(gateway)).toBe(1_000_000_000)
  expect(await errorOf(askKept(gateway, 'GET', `${PATH}/file-1`))).toMatchObject({ status: 404, code: 'not_stored' })
})

test('another account finds nothing of it, and its list is empty', async () => {
  await using world = await operationWorld({}, json(fileBody('file-1')))
  const { gateway, provider } = world
  await sendFile(gateway, fileForm('a')).json()
  const stranger = await strangerOf(gateway)
  for (const [method, below] of [
    ['GET', ''],
    ['GET', '/content'],
    ['DELETE', ''],
  ] as const)
    expect(await errorOf(askKept(gateway, method, `${PATH}/file-1${below}`, stranger))).toMatchObject({ status: 404 })
  expect(await askKept(gateway, 'GET', PATH, stranger).json()).toEqual({
    object: 'list',
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  })
  expect(provider.requests.length).toBe(1)
})

test('lists are in pages, in either order, and by purpose, from what is known', async () => {
  await using world = await operationWorld(
    {},
    ...['file-1', 'file-2', 'file-3'].map((id, at) => json(fileBody(id, { purpose: at === 1 ? 'vision' : 'batch' }))),
  )
  const { gateway, provider } = world
  for (let count = 0; count < 3; count++) await sendFile(gateway, fileForm('a')).json()
  const idsOf = async (query: string) => {
    const { data, has_more: hasMore } = Object(await askKept(gateway, 'GET', PATH + query).json())
    return [data.map(({ id }: { id: string }) => id), hasMore]
  }
  expect(await idsOf('?order=asc&limit=2')).toEqual([['file-1', 'file-2'], true])
  expect(await idsOf('?order=asc&limit=2&after=file-2')).toEqual([['file-3'], false])
  expect(await idsOf('?limit=1')).toEqual([['file-3'], true])
  expect(await idsOf('?purpose=vision')).toEqual([['file-2'], false])
  expect(provider.requests.length).toBe(3)
  expect(await errorOf(askKept(gateway, 'GET', `${PATH}?limit=0`))).toMatchObject({ status: 400, param: 'limit' })
  expect(await errorOf(askKept(gateway, 'GET', `${PATH}?order=up`))).toMatchObject({ status: 400, param: 'order' })
})

const world = await operationWorld({}, json(fileBody('file-1')))
afterAll(() => world[Symbol.asyncDispose]())

describe('what is no file is refused', () => {
  test.each([
    ['not a form', 'application/json', '{}', { status: 400 }],
    ['no file in it', undefined, fileForm('a').replace('name="file"', 'name="other"'), { status: 400, param: 'file' }],
    ['cut short', undefined, fileForm('a').slice(0, -8), { status: 400 }],
  ])('%s', async (_name, type, body, wanted) => {
    const answer = sendFile(world.gateway, body, type === undefined ? {} : { 'content-type': type })
    expect(await errorOf(answer)).toMatchObject(wanted)
    expect(world.provider.requests.length).toBe(0)
  })
})

test('a provider that takes no files says so', async () => {
  await using world = await operationWorld({}, status(404, { error: { message: 'Not Found' } }), json({ ok: true }))
  expect(await errorOf(sendFile(world.gateway, fileForm('a')))).toMatchObject({ status: 404, message: 'Not Found' })
  expect(await errorOf(sendFile(world.gateway, fileForm('a')))).toMatchObject({ status: 502, code: 'provider_failed' })
})

test('content that is empty is whole', async () => {
  await using world = await operationWorld(
    {},
    json(fileBody('file-1')),
    status(200, '', { 'content-type': 'text/plain' }),
  )
  await sendFile(world.gateway, fileForm('a')).json()
  expect(await askKept(world.gateway, 'GET', `${PATH}/file-1/content`).text()).toBe('')
})

test('a deletion that its provider answers with nothing is told, and the file is found no more', async () => {
  await using world = await operationWorld({}, json(fileBody('file-1')), status(204, ''))
  const { gateway } = world
  await sendFile(gateway, fileForm('a')).json()
  expect(await askKept(gateway, 'DELETE', `${PATH}/file-1`).json()).toEqual({
    id: 'file-1',
    object: 'file',
    deleted: true,
  })
  expect(await askKept(gateway, 'GET', `${PATH}/file-1`).status()).toBe(404)
})
