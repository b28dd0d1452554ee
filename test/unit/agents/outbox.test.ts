import { expect, test } from 'bun:test'
import { Outbox } from '../../../src/agents/outbox.ts'
import { breathe } from '../../support/wire.ts'

test('what was added within a tick is written at its end, in order; what is added then waits for the next', async () => {
  const outbox = new Outbox()
  const written: string[] = []
  const writing = (name: string) => ({ writeNow: () => written.push(name) })
  outbox.add(writing('one'))
  outbox.add({
    writeNow() {
      written.push('two')
      outbox.add(writing('four'))
    },
  })
  outbox.add(writing('three'))
  expect(written).toEqual([])
  await breathe()
  expect(written).toEqual(['one', 'two', 'three'])
  await breathe()
  expect(written).toEqual(['one', 'two', 'three', 'four'])
})
