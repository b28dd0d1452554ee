import { expect, test } from 'bun:test'
import { breakSafely, directBody, endSafely } from '../../../../src/pipeline/relay/direct-body.ts'
import { breathe } from '../../../support/wire.ts'
import { reading } from '../support.ts'

test('what is written leaves as it comes, up to the last bytes', async () => {
  const body = directBody({
    async run(controller) {
      controller.write(Buffer.from('a'))
      controller.flush()
      await breathe()
      endSafely(controller, [Buffer.from('b'), Buffer.from('')])
    },
    cancel: () => {},
  })
  const client = reading(body)
  expect([await client.next(), await client.next(), await client.next()]).toEqual(['a', 'b', null])
})

test('one that is broken off has no clean end', async () => {
  const body = directBody({ run: async (controller) => breakSafely(controller, new Error('cut')), cancel: () => {} })
  await expect(reading(body).next()).rejects.toThrow('cut')
})

test('its reader leaves', async () => {
  let gone = 0
  const body = directBody({ run: () => new Promise(() => {}), cancel: () => gone++ })
  await reading(body).cancel()
  expect(gone).toBe(1)
})

test('a controller that is closed already is no trouble', () => {
  const closed = {
    write: () => 0,
    flush: () => 0,
    close: () => {
      throw new Error('closed')
    },
  }
  endSafely(closed, [Buffer.from('x')])
  breakSafely(closed, new Error('y'))
})
