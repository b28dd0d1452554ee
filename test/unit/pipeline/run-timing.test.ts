import { expect, test } from 'bun:test'
import { ask, chat, upload } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'
import { status } from '../../support/script.ts'
import { TERMS } from './cold-kit.ts'
import { fill, PLAIN } from './dispatch/dispatch-kit.ts'
import { recordOf, timingOf } from './support.ts'

const MS = 100 // in what is printed

test('each wait is told in its own part: body, key, account, slot, attempt, disk', async () => {
  await using world = createHouseDouble({ backends: { north: {}, south: {} }, terms: TERMS })
  const { clock, store } = world
  store.readGate.holdBack()
  const frees = [fill(world, 'north'), fill(world, 'south')]
  const { body, send, end } = upload()
  const { answer } = ask(world, body)
  await settleMicrotasks()
  clock.advance(30)
  send(chat())
  end()
  await settleMicrotasks()
  clock.advance(20)
  store.readGate.release() // the key
  await settleMicrotasks()
  clock.advance(40)
  store.disk.holdBack()
  store.readGate.letGo() // its account
  await settleMicrotasks()
  clock.advance(300)
  for (const free of frees) free()
  const failing = await world.agent('north').next()
  clock.advance(70)
  failing.play(status(500, 'no'))
  const serving = await world.agent('south').next()
  clock.advance(500)
  serving.play(PLAIN)
  await settleMicrotasks()
  clock.advance(5)
  store.disk.letGo()
  const timing = timingOf(await answer)
  expect(Object.fromEntries(timing)).toEqual({
    gw: 390 * MS,
    'gw-recv': 30 * MS,
    'gw-auth': 20 * MS,
    'gw-ctx': 40 * MS,
    'gw-prep': 0,
    'gw-route': 0,
    'gw-hold': 0,
    'gw-wait': 300 * MS,
    upstream: 570 * MS,
    'upstream-1': 70 * MS,
    'upstream-2': 500 * MS,
    'upstream-wait': 0,
    post: 5 * MS,
    'post-hold': 5 * MS,
    total: 965 * MS,
  })
  expect((await recordOf(world)).timing).toMatchObject({ gwUs: 390_000, upstreamUs: 570_000, postUs: 5000 })
  for (const free of frees) free()
})
