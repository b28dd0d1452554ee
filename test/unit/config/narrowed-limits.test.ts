import { expect, test } from 'bun:test'
import { narrowedLimits } from '../../../src/config/narrowed-limits.ts'
import { configOf } from './support.ts'

const BACKEND = { connectMs: 1, firstContentMs: 2, totalMs: 3, idleMs: 4 }

test('the nearest that says something counts', () => {
  expect(narrowedLimits(BACKEND, {}, {})).toEqual(BACKEND)
  expect(narrowedLimits(BACKEND, { total_ms: 30, idle_ms: 40 }, { idle_ms: 400 })).toEqual({
    connectMs: 1,
    firstContentMs: 2,
    totalMs: 30,
    idleMs: 400,
  })
})

test('limits, context and length of an answer may stand at an offer; each other offer keeps its own', async () => {
  const { catalogue } = await configOf(`
routing: { total_ms: 9 }
providers:
  p: { backends: { a: { url: "http://127.0.0.1:1/v1", first_content_ms: 5 }, b: { url: "http://127.0.0.1:2/v1" } } }
models:
  m:
    context: 1000
    output_max: 100
    idle_ms: 6
    offers: [{ backend: a, connect_ms: 7 }, { backend: b, context: 2000, output_max: 200 }]
`)
  expect(catalogue.models.get('m')?.offers).toMatchObject([
    {
      contextTokensMax: 1000,
      outputTokensMax: 100,
      limits: { connectMs: 7, firstContentMs: 5, totalMs: 9, idleMs: 6 },
    },
    {
      contextTokensMax: 2000,
      outputTokensMax: 200,
      limits: { connectMs: 5000, firstContentMs: 120_000, totalMs: 9, idleMs: 6 },
    },
  ])
})
