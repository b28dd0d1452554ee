import { describe, expect, test } from 'bun:test'
import { gate, type Peer } from '../support/raw-server.ts'
import { script, send } from '../support/script.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { type FormPart, formBytes, operationWorld, sendForm, typedEvent, typedSse } from '../support/wire-operations.ts'
import { file, model, PRICED, rawWorld, UPLOAD_PATH } from '../support/wire-uploads.ts'

const field = (name: string, value: string): FormPart => ({ name, value })

describe('what a large form says after its files', () => {
  test('may be the form of its answer', async () => {
    const head = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    await using world = await operationWorld(PRICED, script(head, send('Hi\n'), { end: true }))
    const answer = sendForm(world.gateway, UPLOAD_PATH, formBytes(model(), file(3), field('response_format', 'text')))
    expect((await answer.head()).header('content-type')).toBe('text/plain; charset=utf-8')
    expect(await answer.text()).toBe('Hi\n')
  })

  test('may be that events are wanted', async () => {
    const done = { type: 'transcript.text.done', text: 'Hi' }
    await using world = await operationWorld(PRICED, typedSse(typedEvent(done)))
    const answer = sendForm(world.gateway, UPLOAD_PATH, formBytes(model(), file(3), field('stream', 'true')))
    expect((await answer.head()).header('content-type')).toContain('text/event-stream')
    await answer.text()
    expect(answer.events.map(({ data }) => JSON.parse(data))).toEqual([done])
    expect(await settlementOf(world.gateway)).toMatchObject({ charged_nano: 1_000_000 })
  })

  const refused = async (path: string, form: Buffer) => {
    const ended = gate()
    await using world = await rawWorld(async (peer: Peer) => {
      await peer.closed
      ended.open()
    })
    const error = await errorOf(sendForm(world.gateway, path, form))
    await ended.opened
    expect(world.provider.requests).toEqual([])
    expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
    return error
  }

  test('must not be how many pictures there are', async () => {
    const form = formBytes(model(), field('prompt', 'A hat'), { ...file(3), name: 'image' }, field('n', '4'))
    expect(await refused('/v1/images/edits', form)).toMatchObject({ status: 400, code: 'invalid_request', param: 'n' })
  })

  test('must not be another model, or nothing that is a form', async () => {
    expect(await refused(UPLOAD_PATH, formBytes(model(), file(3), model('dear')))).toMatchObject({
      status: 400,
      code: 'duplicate_field',
      param: 'model',
    })
    expect(await refused(UPLOAD_PATH, formBytes(model(), file(3)).subarray(0, -8))).toMatchObject({
      status: 400,
      message: expect.stringContaining('last boundary'),
    })
  })
})
