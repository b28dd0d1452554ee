import { expect, test } from 'bun:test'
import { simulateWeather } from './provider-weather.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const REQUESTS = Math.min(10_000, RUNS * 10)
const SEED = Number(process.env.ANYROUTER_SEED ?? 1)
const ANSWERED_MIN = 0.999

test(`of ${REQUESTS} requests in bad weather (seed ${SEED}) nearly all that could be served are, and no rule is broken`, async () => {
  const weather = await simulateWeather(SEED, REQUESTS)
  expect(weather.faults).toEqual([])
  expect(weather.answered / weather.servable).toBeGreaterThanOrEqual(ANSWERED_MIN)
  // The weather was bad: else this would prove nothing.
  expect(weather.servable).toBeLessThan(weather.requests)
  expect(weather.outs).toBeGreaterThan(REQUESTS / 200)
  expect(weather.trials).toBeGreaterThan(REQUESTS / 200)
  expect(weather.probes).toBeGreaterThan(0)
}, 60_000)
