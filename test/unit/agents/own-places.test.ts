import { expect, test } from 'bun:test'
import { OwnPlaces } from '../../../src/agents/own-places.ts'
import { backendAt } from './probe.ts'

const backend = backendAt('https://llm.customer.example/v1', { id: 'own:cred_1', slots: 1 })
const outbound = { send: () => expect.unreachable() }

test('one agent while it is in use, another one afterwards', () => {
  const places = new OwnPlaces(outbound)
  const agent = places.of(backend)
  const slot = agent.take()
  expect(slot).not.toBeNull()
  expect(places.of({ ...backend })).toBe(agent)
  if (slot !== null) agent.release(slot)
  expect(places.of(backend)).not.toBe(agent)
})

test('one that was only planned is not remembered', () => {
  const places = new OwnPlaces(outbound)
  const agent = places.of(backend)
  agent.keepWarm()
  expect(places.of(backend)).not.toBe(agent)
})

test('after the end nobody gets a slot', () => {
  const places = new OwnPlaces(outbound)
  const agent = places.of(backend)
  places.close()
  expect(agent.take()).toBeNull()
  expect(places.of({ ...backend, id: 'own:cred_2' }).take()).toBeNull()
})

test('without a way out there are none', () => {
  expect(() => new OwnPlaces(null).of(backend)).toThrow('no way to own places')
})
