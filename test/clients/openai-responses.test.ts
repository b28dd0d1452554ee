import { expect, test } from 'bun:test'
import OpenAI from 'openai'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { startGateway } from '../support/gateway.ts'
import { close, json, type Part, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { batchBody, fileBody } from '../support/wire-kept.ts'
import { MESSAGE_ITEM, responseBody, responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

/** A gateway with one provider that plays these scripts, and the SDK; `balanceUsd` null: nothing is metered. */
async function worldOf(balanceUsd: string | null, ...parts: readonly Part[]) {
  const provider = await scriptedProvider()
  provider.script(...parts)
  const gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd })
  return {
    provider,
    sdk: new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 }),
    ...endedInTurn(gateway, provider),
  }
}

/** The SDK's promises are not plain ones. */
const thrownBy = (asked: PromiseLike<unknown>): PromiseLike<unknown> =>
  asked.then(
    () => null,
    (error: unknown) => error,
  )

test('a response, plain, as events, and gathered from them', async () => {
  const events = responseEvents(['Hel', 'lo'])
  await using world = await worldOf('1.00', responseJson(), responseSse(events), responseSse(events))
  const { sdk } = world
  const plain = await sdk.responses.create({ model: 'm1', input: 'hi' })
  expect([plain.output_text, plain.model, plain.usage?.total_tokens]).toEqual(['Hello', 'm1', 15])
  const types: string[] = []
  for await (const event of await sdk.responses.create({ model: 'm1', input: 'hi', stream: true }))
    types.push(event.type)
  expect(types).toEqual(events.map(({ type }) => type))
  const gathered = await sdk.responses.stream({ model: 'm1', input: 'hi' }).finalResponse()
  expect(gathered.output_text).toBe('Hello')
})

test('a plain answer in place of events is gathered like them: text, reasoning and a call of a tool', async () => {
  const call = {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'c1',
    name: 'f',
    arguments: '{"a":1}',
    status: 'completed',
  }
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Think' }] }
  await using world = await worldOf('1.00', responseJson({ output: [reasoning, MESSAGE_ITEM, call] }))
  const stream = world.sdk.responses.stream({ model: 'm1', input: 'hi' })
  let said = ''
  stream.on('response.output_text.delta', ({ delta }) => {
    said += delta
  })
  const gathered = await stream.finalResponse()
  expect(said).toBe('Hello')
  expect(gathered.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
})

test('a stream that breaks is thrown', async () => {
  await using world = await worldOf('1.00', responseSse(responseEvents(['Hel'], []), close()))
  const reading = async () => {
    for await (const _ of await world.sdk.responses.create({ model: 'm1', input: 'hi', stream: true }));
  }
  expect(await thrownBy(reading())).toMatchObject({ code: 'stream_broken' })
})

test('what is stored is retrieved, listed, streamed again, cancelled and deleted', async () => {
  await using world = await worldOf(
    '1.00',
    responseJson(),
    responseJson(),
    json({
      object: 'list',
      data: [{ ...MESSAGE_ITEM, id: 'msg_0' }],
      has_more: false,
      first_id: 'msg_0',
      last_id: 'msg_0',
    }),
    responseSse(responseEvents(['Hello']).slice(4)),
    responseJson({ status: 'cancelled' }),
    responseJson({ id: 'resp_2', previous_response_id: 'resp_1' }),
    json({ id: 'resp_1', object: 'response', deleted: true }),
  )
  const { sdk, provider } = world
  const { id } = await sdk.responses.create({ model: 'm1', input: 'hi' })
  expect((await sdk.responses.retrieve(id)).output_text).toBe('Hello')
  const items: string[] = []
  for await (const item of sdk.responses.inputItems.list(id)) items.push(String(item.id))
  expect(items).toEqual(['msg_0'])
  const types: string[] = []
  for await (const event of await sdk.responses.retrieve(id, { stream: true, starting_after: 3 }))
    types.push(event.type)
  expect(types.at(-1)).toBe('response.completed')
  expect((await sdk.responses.cancel(id)).status).toBe('cancelled')
  const next = await sdk.responses.create({ model: 'm1', input: 'more', previous_response_id: id })
  expect(next.previous_response_id).toBe('resp_1')
  await sdk.responses.delete(id)
  expect(provider.requests.at(-1)).toMatchObject({ method: 'DELETE', target: '/v1/responses/resp_1' })
  expect(await thrownBy(sdk.responses.retrieve(id))).toBeInstanceOf(OpenAI.NotFoundError)
})

test('what is not there is a 404, what it would go on from a 400', async () => {
  await using world = await worldOf('1.00', json(responseBody()))
  const { sdk } = world
  expect(await thrownBy(sdk.responses.retrieve('resp_9'))).toMatchObject({ status: 404, code: 'not_stored' })
  const asked = sdk.responses.create({ model: 'm1', input: 'hi', previous_response_id: 'resp_9' })
  expect(await thrownBy(asked)).toMatchObject({ status: 400, code: 'previous_response_not_found' })
})

test('files are sent, shown, listed over pages, read and deleted', async () => {
  await using world = await worldOf(
    '1.00',
    json(fileBody('file-1')),
    json(fileBody('file-2')),
    json(fileBody('file-1')),
    status(200, '{"a":1}\n', { 'content-type': 'application/jsonl' }),
    json({ id: 'file-1', object: 'file', deleted: true }),
  )
  const { sdk, provider } = world
  const send = () => sdk.files.create({ file: new File(['{"a":1}\n'], 'a.jsonl'), purpose: 'batch' })
  expect((await send()).id).toBe('file-1')
  expect((await send()).id).toBe('file-2')
  expect(provider.requests[0]?.body.toString()).toContain('{"a":1}\n')
  expect((await sdk.files.retrieve('file-1')).filename).toBe('a.jsonl')
  const ids: string[] = []
  for await (const { id } of sdk.files.list({ limit: 1, order: 'asc' })) ids.push(id)
  expect(ids).toEqual(['file-1', 'file-2'])
  expect(await (await sdk.files.content('file-1')).text()).toBe('{"a":1}\n')
  expect((await sdk.files.delete('file-1')).deleted).toBe(true)
  expect(await thrownBy(sdk.files.retrieve('file-1'))).toBeInstanceOf(OpenAI.NotFoundError)
})

test('batches are begun, shown, listed and cancelled', async () => {
  await using world = await worldOf(
    null,
    json(fileBody('file-1')),
    json(batchBody('batch_1')),
    json(batchBody('batch_1', { status: 'in_progress' })),
    json(batchBody('batch_1', { status: 'completed' })),
    json(batchBody('batch_1', { status: 'cancelled' })),
  )
  const { sdk } = world
  const file = await sdk.files.create({ file: new File(['{}'], 'a.jsonl'), purpose: 'batch' })
  const begun = await sdk.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  })
  expect((await sdk.batches.retrieve(begun.id)).status).toBe('in_progress')
  const statuses: string[] = []
  for await (const batch of sdk.batches.list()) statuses.push(batch.status)
  expect(statuses).toEqual(['completed'])
  expect((await sdk.batches.cancel(begun.id)).status).toBe('cancelled')
})
