import { expect, test } from 'bun:test'
import { ask } from '../../../support/ask.ts'
import { completion } from '../../../support/sse.ts'
import { adminWorld } from './support.ts'

test('200: what is in progress now, in all and at each backend that was used', async () => {
  await using world = adminWorld()
  const rest = (await world.call('GET', '/slots')).body
  expect(rest).toMatchObject({ in_flight: 0, waiters: 0, ledger: { open_holds: 0 }, data: [] })

  const { answer } = ask(world)
  const exchange = await world.agent('north').next()
  const { body } = await world.call('GET', '/slots')
  expect(body).toMatchObject({
    in_flight: 1,
    waiters: 0,
    ledger: { accounts_open: 1, open_holds: 1, leaks: 0 },
    writer: { queued: expect.any(Number), failed_commits: 0 },
    data: [{ backend: 'north', slots: 2, slots_taken: 1, waiters: 0, resends: 0 }],
  })
  exchange.play(completion('ok', 1, 1))
  await (await answer).text()
})
