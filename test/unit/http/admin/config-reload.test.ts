import { expect, test } from 'bun:test'
import { adminWorld, refusal } from './support.ts'

test('where no server runs there is nothing to reload', async () => {
  await using world = adminWorld()
  expect(await world.call('POST', '/config/reload')).toMatchObject(refusal(409, 'conflict'))
})
