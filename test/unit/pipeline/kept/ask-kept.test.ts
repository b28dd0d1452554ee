import { describe, expect, test } from 'bun:test'
import { askKept, goodAnswer } from '../../../../src/pipeline/kept/ask-kept.ts'
import { createHouseDouble, type HouseDouble } from '../../../support/house.ts'
import { json, status } from '../../../support/script.ts'
import { thingOf } from '../kept-kit.ts'
import { worldOf } from '../route/route-kit.ts'
import { callAt } from '../support.ts'

const whole = (code: number, body: object) =>
  ({ kind: 'whole', head: { status: code, headers: [] }, body: Buffer.from(JSON.stringify(body)) }) as const

function asked(world: HouseDouble) {
  const { call } = callAt(world)
  call.clock.enter('wait')
  const question = { method: 'GET', target: '/responses/resp_1', answer: 'document' } as const
  return askKept(world.house, call, worldOf().context, thingOf(), question)
}

test('who keeps a thing is asked; what it answers comes back', async () => {
  await using world = createHouseDouble()
  const agent = world.agent('north')
  agent.plays(json({ id: 'resp_1' }))
  expect(await asked(world)).toMatchObject({ kind: 'whole', head: { status: 200 } })
  expect(agent.exchanges[0]?.request.target).toEndWith('/responses/resp_1')
})

test('what is no answer is thrown', async () => {
  await using world = createHouseDouble()
  world.agent('north').plays(status(404, 'gone'))
  await expect(asked(world)).rejects.toMatchObject({ code: 'provider_refused', status: 404 })
})

describe('an error', () => {
  const world = createHouseDouble()
  const good = (code: number, body: object) => goodAnswer(world.house, callAt(world).call, whole(code, body), false)
  const error = { message: 'No.', code: 'x' }

  test('of a thing that says what it is, is the thing’s own', () => {
    for (const body of [{ id: 'resp_1', error }, { object: 'response', error }, { error: null }, {}])
      expect(good(200, body)).toMatchObject({ kind: 'whole' })
  })

  test('alone is no answer, whatever its status', () => {
    expect(() => good(200, { error })).toThrow()
    expect(() => good(400, { error })).toThrow('No.')
  })
})
