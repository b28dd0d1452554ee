import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../../src/domain/index.ts'
import { replyView } from '../../../src/pipeline/reply-view.ts'
import { createHouseDouble, MODEL } from '../../support/house.ts'
import { callAt, candidatesOf, preparedOf } from './support.ts'

function viewOn(surface: 'openai' | 'openrouter', fields: object = {}) {
  const world = createHouseDouble()
  const { call } = callAt(world, { surface })
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  return { call, view: replyView(world.house, call, candidate, preparedOf(fields), MODEL) }
}

test('on /v1 nothing but the model, and usage for who asked', () => {
  expect(viewOn('openai').view).toEqual({ operation: 'chat.completions', model: MODEL, showUsage: false })
  const asked = { stream: true, stream_options: { include_usage: true } }
  expect(viewOn('openai', asked).view).toEqual({ operation: 'chat.completions', model: MODEL, showUsage: true })
})

test('on /api/v1 the marks of the call, and what the account pays', () => {
  const { call, view } = viewOn('openrouter')
  expect(view.stamp).toMatchObject({
    id: call.generationId,
    createdS: Math.floor(call.startedAtMs / 1000),
    model: MODEL,
    provider: 'acme',
  })
  expect(Number(view.stamp?.cost({ ...NO_USAGE, input: 10, output: 5 }))).toBe(10 * 1000 + 5 * 4000)
  expect(view.stamp?.estimate(0)).toMatchObject({ input: 10, output: 0 })
})
