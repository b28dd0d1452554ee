import { expect, test } from 'bun:test'
import type { Backend } from '../../../../src/domain/index.ts'
import { pathView } from '../../../../src/http/admin/path-view.ts'
import { adminWorld, refusal } from './support.ts'

test('404: an unknown backend', async () => {
  await using world = adminWorld()
  for (const name of ['ping', 'probe'])
    expect(await world.call('POST', `/backends/nort/${name}`)).toMatchObject(refusal(404, 'not_found', 'backend'))
})

test('200: one that cannot be reached says why; nothing else is asked', async () => {
  await using world = adminWorld()
  const backend: Backend | undefined = world.house.catalogue().backends.get('north')
  expect(backend?.baseUrl).toBe('https://north.example/v1')
  expect((await world.call('POST', '/backends/north/ping')).body).toEqual({
    backend: 'north',
    new: { kind: 'unanswered', reason: 'dns', message: expect.any(String) },
    kept: null,
  })
  const { body } = await world.call('POST', '/backends/north/probe')
  expect(body).toEqual({
    backend: 'north',
    credentials: [
      { credential: 'cred_north', verdict: 'failing', status: null, took_us: null, message: expect.any(String) },
    ],
  })
  expect(JSON.stringify(body)).not.toContain('sk-provider')
})

test('the share of requests that found a connection, in percent with one digit', () => {
  const stats = { ...STATS, requestsSent: 3, requestsOnKept: 2 }
  expect(pathView(stats)).toMatchObject({ reused_percent: 66.7, requests_sent: 3, kept_warm: false, last_ping: null })
  expect(pathView(STATS)).toMatchObject({ reused_percent: null })
})

const STATS = {
  slots: 1,
  slotsTaken: 0,
  waiters: 0,
  connectionsDialling: 0,
  connectionsOpen: 0,
  connectionsIdle: 0,
  connectionsOpened: 0,
  requestsSent: 0,
  requestsOnKept: 0,
  resends: 0,
  path: {
    isKeptWarm: false,
    pings: 0,
    pingsFailed: 0,
    pingState: 'on',
    lastPing: null,
    learnedIdleMs: null,
    connect: null,
    firstByte: null,
  },
} as const
