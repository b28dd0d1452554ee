import { expect, test } from 'bun:test'
import { BodyPlace, BodyRoom } from '../../../src/pipeline/body-room.ts'

const FULL = expect.objectContaining({ code: 'too_many_requests_in_flight', status: 503 })

test('all together have so much, one account half of it, and what is over gives its part back', () => {
  const room = new BodyRoom()
  const place = (owner: string) => new BodyPlace(room, owner, 100)
  const [first, second] = [place('a'), place('a')]
  first.add(30)
  second.add(20)
  expect(() => second.add(1)).toThrow(FULL)
  const [other, third] = [place('b'), place('c')]
  other.add(50)
  expect(() => third.add(1)).toThrow(FULL)
  first.giveBack()
  first.giveBack()
  expect(room.bytes).toBe(70)
  third.add(1)
  for (const one of [second, other, third]) one.giveBack()
  expect(room.bytes).toBe(0)
})

test('what is alone is let in, however large', () => {
  const room = new BodyRoom()
  const large = new BodyPlace(room, 'a', 100)
  large.add(500)
  expect(() => new BodyPlace(room, 'b', 100).add(1)).toThrow(FULL)
  large.giveBack()
  new BodyPlace(room, 'b', 100).add(60)
  expect(room.bytes).toBe(60)
})

test('what still comes once the request is over takes nothing', () => {
  const room = new BodyRoom()
  const place = new BodyPlace(room, 'a', 100)
  place.giveBack()
  place.add(10)
  expect(room.bytes).toBe(0)
})
