import { expect, test } from 'bun:test'
import { endedWithMade } from '../../../../src/pipeline/kept/ended-with-made.ts'
import { beginWork } from '../../../../src/pipeline/work.ts'
import { asking } from '../../../support/ask.ts'
import { ACCOUNT, createHouseDouble, type HouseDouble } from '../../../support/house.ts'

const PLACE = { backend: 'north', credential: null, isOwn: false }

function ending(world: HouseDouble, body: string) {
  const work = beginWork(world.house, asking().arrival)
  work.call.accountId = ACCOUNT
  const head = { status: 200, headers: [] }
  const ended = endedWithMade(work, 'file', PLACE, { kind: 'whole', head, body: Buffer.from(body) })
  return ended.finally(() => work.over(null))
}

test('what was made is told as it came, and known from then on', async () => {
  await using world = createHouseDouble()
  expect(await (await ending(world, '{"id": "file-1"}')).text()).toBe('{"id": "file-1"}')
  expect(world.store.tables.stored.get(`${ACCOUNT} file-1`)).toMatchObject({ ...PLACE, kind: 'file' })
})

test.each(['{}', 'hello', ''])('what names no id was not made: %p', async (body) => {
  await using world = createHouseDouble()
  await expect(ending(world, body)).rejects.toMatchObject({
    code: 'provider_failed',
    message: 'The provider did not say what it keeps the file as.',
  })
  expect(world.store.tables.stored.size).toBe(0)
})
