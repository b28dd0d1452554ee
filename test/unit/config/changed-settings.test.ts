import { expect, test } from 'bun:test'
import { changedSettings } from '../../../src/config/index.ts'
import { configOf } from './support.ts'

const changed = async (before: string, after: string) => changedSettings(await configOf(before), await configOf(after))

test('settings are named as in the file', async () => {
  const after = `
server: { body_bytes_max: 1MB, cors: [https://a.example], trust_proxy: [10.0.0.0/8] }
routing: { queue_ms: 5 }
money: { crash: hold }
agents: { idle_max: 3 }
limits: { requests_in_flight_max: 7 }
`
  expect(await changed('', after)).toEqual([
    'server.body_bytes_max',
    'server.trust_proxy',
    'server.cors',
    'routing.queue_ms',
    'money.crash',
    'agents.idle_max',
    'limits.requests_in_flight_max',
  ])
})

test('what is written otherwise, or belongs to backends, is no change of a setting', async () => {
  expect(await changed('server: { body_bytes_max: 32MB }', 'routing: { attempts_max: 3, connect_ms: 9 }')).toEqual([])
  expect(await changed('server: { cors: [https://a.example] }', 'server: { cors: https://a.example }')).toEqual([])
})
