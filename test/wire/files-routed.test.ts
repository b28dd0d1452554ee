import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { errorOf } from '../support/wire-chat.ts'
import { fileBody, fileForm, sendFile } from '../support/wire-kept.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'

test('an offer that says files has them, another provider where it is asked for', async () => {
  await using one = await scriptedProvider()
  await using other = await scriptedProvider()
  one.script(json(fileBody('file-1')))
  other.script(json(fileBody('file-2')))
  const operations = ['chat.completions', 'files']
  const offers = { m1: [{ provider: one }], m2: [{ provider: other, of: { id: 'keeper' }, offer: { operations } }] }
  await using gateway = await startGateway({ offers })
  expect(await sendFile(gateway, fileForm('a')).json()).toMatchObject({ id: 'file-2' })
  expect(await sendFile(gateway, fileForm('a'), { 'x-anyrouter-provider': 'mock' }).json()).toMatchObject({
    id: 'file-1',
  })
})

test('a large file goes on while it comes', async () => {
  await using world = await operationWorld({}, json(fileBody('file-1')))
  const form = fileForm('x'.repeat(3_000_000))
  expect(await sendFile(world.gateway, form).json()).toMatchObject({ id: 'file-1' })
  expect((await world.provider.arrived()).body.toString()).toBe(form)
})

test('a response that names a file goes where that is kept', async () => {
  await using one = await scriptedProvider()
  await using other = await scriptedProvider()
  other.script(json(fileBody('file-2')), json({ id: 'resp_1', object: 'response', status: 'completed', output: [] }))
  const offers = { m1: [{ provider: one }, { provider: other, of: { id: 'keeper' } }] }
  await using gateway = await startGateway({ offers })
  await sendFile(gateway, fileForm('a'), { 'x-anyrouter-provider': 'keeper' }).json()
  const input = [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-2' }] }]
  expect(await operate(gateway, '/v1/responses', { input }).json()).toMatchObject({ id: 'resp_1' })
  expect(one.requests.length).toBe(0)
  const stolen = [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-9' }] }]
  expect(await errorOf(operate(gateway, '/v1/responses', { input: stolen }))).toMatchObject({
    status: 400,
    param: 'input[0].content[0].file_id',
  })
  const content = [{ type: 'file', file: { file_id: 'file-9' } }]
  expect(
    await errorOf(operate(gateway, '/v1/chat/completions', { messages: [{ role: 'user', content }] })),
  ).toMatchObject({
    status: 400,
    code: 'not_stored',
    param: 'messages[0].content[0].file.file_id',
  })
})
