import { describe, expect, test } from 'bun:test'
import { reading } from '../support.ts'
import { content, relaying } from './relay-kit.ts'

describe('a stream that nothing is left to pay for', () => {
  test('ends with its error event behind what was delivered, and the provider is aborted', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    made.provider.pays = false
    made.to.events([content('the last ')])
    made.to.events([content('late')])
    expect(await client.rest()).toBe('the last [credit]')
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'credit' }])
    expect(made.provider.state).toBe('aborted')
  })

  test('before its first event came to the client', async () => {
    await using made = relaying()
    made.reply.finished = false
    made.provider.pays = false
    expect(await reading(made.body).rest()).toBe('held [credit]')
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'credit' }])
  })

  test('that is whole already is a whole one', async () => {
    await using made = relaying()
    made.provider.pays = false
    const client = reading(made.body)
    await client.next()
    made.to.events([content('the end')])
    made.to.end()
    expect(await client.rest()).toBe('the end')
    expect(made.ends).toEqual([{ kind: 'completed' }])
  })
})
