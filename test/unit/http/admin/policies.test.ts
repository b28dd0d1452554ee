import { describe, expect, test } from 'bun:test'
import { ACCOUNT, MODEL } from '../../../support/house.ts'
import { type AdminWorld, adminWorld, refusal } from './support.ts'

const OPEN = {
  allow_foreign: false,
  regions: null,
  ownerships: null,
  zdr: false,
  allow_training: true,
  only: null,
  ignore: null,
}

const BOUND = {
  allow_foreign: true,
  regions: ['ca', 'us-east'],
  ownerships: ['ca'],
  zdr: true,
  allow_training: false,
  only: ['acme'],
  ignore: ['north'],
}

const auditOf = async (world: AdminWorld, action: string) =>
  (await world.call('GET', `/audit?action=${action}`)).body.data[0]

describe.each([
  ['account', '/accounts', { name: 'bound' }],
  ['key', '/keys', { account: ACCOUNT, name: 'bound' }],
])('of %s', (noun, path, wish) => {
  test('201, 200: made, shown, listed and changed; what is absent stays, null takes away; the audit has it', async () => {
    await using world = adminWorld()
    expect((await world.call('POST', path, { ...wish, name: 'open' })).body).toMatchObject(OPEN)
    const made = await world.call('POST', path, { ...wish, ...BOUND })
    expect(made).toMatchObject({ status: 201, body: BOUND })
    const { id } = made.body
    expect((await world.call('GET', `${path}/${id}`)).body).toMatchObject(BOUND)
    expect((await world.call('GET', path)).body.data).toContainEqual(expect.objectContaining({ id, ...BOUND }))
    expect((await auditOf(world, `${noun}.create`)).details).toMatchObject(BOUND)

    const change = { allow_foreign: false, only: null, regions: ['ca'] }
    const changed = await world.call('PATCH', `${path}/${id}`, change, { 'if-match': '"1"' })
    expect(changed).toMatchObject({ status: 200, body: { ...BOUND, ...change } })
    expect(changed.headers.get('etag')).toBe('"2"')
    expect((await auditOf(world, `${noun}.update`)).details).toEqual(change)
    expect(await world.call('PATCH', `${path}/${id}`, { zdr: false }, { 'if-match': '"1"' })).toMatchObject(
      refusal(412, 'precondition_failed'),
    )
  })

  test.each([
    ['allow_foreign', 'yes'],
    ['allow_foreign', null],
    ['regions', []],
    ['regions', ['c a']],
    ['regions', 'ca'],
    ['ownerships', ['CA']],
    ['ownerships', ['can']],
    ['zdr', 1],
    ['allow_training', null],
    ['only', ['nowhere']],
    ['only', []],
    ['ignore', ['north', 'nowhere']],
  ])('400: %s %j', async (param, value) => {
    await using world = adminWorld()
    const body = { ...wish, [param]: value }
    expect(await world.call('POST', path, body)).toMatchObject(refusal(400, 'invalid_request', param))
  })
})

test('models of an account hold ids; an unknown one is 404', async () => {
  await using world = adminWorld()
  const path = `/accounts/${ACCOUNT}`
  expect((await world.call('PATCH', path, { models: ['m'] })).body.models).toEqual([MODEL])
  expect((await world.call('PATCH', path, { models: null })).body.models).toBeNull()
  expect(await world.call('PATCH', path, { models: ['none'] })).toMatchObject(refusal(404, 'model_not_found', 'models'))
})

test('a change binds the next request: what is kept in memory is read anew', async () => {
  await using world = adminWorld()
  const { rows } = world.house.accounts
  await rows.load(ACCOUNT)
  await world.call('PATCH', `/accounts/${ACCOUNT}`, { zdr: true, models: ['m'] })
  expect((await rows.load(ACCOUNT))?.account).toMatchObject({ models: [MODEL], policy: { zeroRetention: true } })
})
