import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/index.ts'
import { runListing } from '../../../src/pipeline/run-listing.ts'
import { asking } from '../../support/ask.ts'
import { ACCOUNT, createHouseDouble } from '../../support/house.ts'
import { errorOf, recordOf, timingOf } from './support.ts'

const byAccount = (isPublic: boolean) => ({
  isPublic,
  answer: (context: { account: { id: string } } | null) => Buffer.from(context?.account.id ?? 'anybody'),
})

test('it goes through the same door, with its time and its record, and without money', async () => {
  await using world = createHouseDouble()
  const { arrival } = asking({ body: null })
  const listing = { ...arrival, operation: 'models.list' as const }
  const response = await runListing(world.house, listing, byAccount(false))
  expect(await response.text()).toBe(ACCOUNT)
  expect(timingOf(response).has('upstream')).toBe(false)
  expect(await recordOf(world)).toMatchObject({ operation: 'models.list', status: 200, accountId: ACCOUNT })
  expect(world.store.tables.settlements.size).toBe(0)
})

test('a public one is there for who shows no key; a bad key is refused all the same', async () => {
  await using world = createHouseDouble()
  const run = (isPublic: boolean, headers: Readonly<Record<string, string>> | null) =>
    runListing(world.house, asking({ body: null, headers }).arrival, byAccount(isPublic))
  expect(await (await run(true, null)).text()).toBe('anybody')
  expect((await run(false, null)).status).toBe(401)
  expect((await run(true, { authorization: 'Bearer sk-ar-v1-nobody' })).status).toBe(401)
  expect(await (await run(true, {})).text()).toBe(ACCOUNT)
})

test('it answers what its maker throws', async () => {
  await using world = createHouseDouble()
  const { arrival } = asking({ body: null })
  const response = await runListing(world.house, arrival, {
    isPublic: false,
    answer() {
      throw new GatewayError('model_not_found', 'No such model.')
    },
  })
  expect(await errorOf(response)).toMatchObject({ status: 404, error: { code: 'model_not_found' } })
  expect(await recordOf(world)).toMatchObject({ status: 404 })
})
