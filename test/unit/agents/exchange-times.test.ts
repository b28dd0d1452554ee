import { expect, test } from 'bun:test'
import type { Connection } from '../../../src/agents/connection.ts'
import { ExchangeTimes } from '../../../src/agents/exchange-times.ts'

const connection = { dnsUs: 5, connectUs: 20, tlsUs: 30, openedUs: 1_000_000 } as Connection

test('what a dial took, and when the steps were, become spans', () => {
  const times = new ExchangeTimes()
  times.dialled(connection)
  times.sentOn(connection, 3_000_400)
  times.writtenLastUs = 3_000_500
  times.firstByteUs = 3_000_900
  expect(times.told('new')).toEqual({
    dnsUs: 5,
    connectUs: 20,
    tlsUs: 30,
    writeUs: 100,
    firstByteUs: 400,
    connection: 'new',
    connectionAgeMs: 2000,
  })
})

test('an answer before the end of its request took no time', () => {
  const times = new ExchangeTimes()
  times.firstByteUs = 100
  expect(times.told('new')).toMatchObject({ writeUs: null, firstByteUs: 0 })
  times.writtenLastUs = 200
  expect(times.told('new').firstByteUs).toBe(0)
})

test('what was written on a connection that was left does not count', () => {
  const times = new ExchangeTimes()
  times.sentOn(connection, 3_000_000)
  times.writtenLastUs = 3_000_100
  times.startAnew()
  expect(times.told('unsent')).toMatchObject({ writeUs: null, connectionAgeMs: null })
})
