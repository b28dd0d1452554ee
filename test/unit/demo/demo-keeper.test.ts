import { expect, test } from 'bun:test'
import { DemoKeeper } from '../../../src/demo/demo-keeper.ts'

const keeperOf = () =>
  new DemoKeeper(
    (_, body) => ({ said: body }),
    () => 7,
  )

async function ask(keeper: DemoKeeper, method: string, path: string, body?: FormData | object) {
  const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body)
  const answer = await keeper.answer(
    new Request(`http://demo/v1/${path}`, { method, ...(sent === undefined ? {} : { body: sent }) }),
  )
  if (answer === null) return null
  const text = await answer.text()
  return { status: answer.status, text, json: text.startsWith('{') ? JSON.parse(text) : null }
}

function formOf(content: string): FormData {
  const form = new FormData()
  form.append('file', new File([content], 'a.jsonl'))
  form.append('purpose', 'batch')
  return form
}

test('responses are shown, replayed, and gone when they are deleted', async () => {
  const keeper = keeperOf()
  keeper.keepResponse({ id: 'resp_1', background: true }, 'Hello', ['a', 'b', 'c'])
  expect([keeper.hasResponse('resp_1'), keeper.hasResponse(7)]).toEqual([true, false])
  expect((await ask(keeper, 'GET', 'responses/resp_1'))?.json.id).toBe('resp_1')
  expect((await ask(keeper, 'GET', 'responses/resp_1?stream=true&starting_after=0'))?.text).toBe('bc')
  expect((await ask(keeper, 'GET', 'responses/resp_1/input_items'))?.json.data).toHaveLength(1)
  expect((await ask(keeper, 'POST', 'responses/resp_1/cancel'))?.status).toBe(200)
  expect((await ask(keeper, 'DELETE', 'responses/resp_1'))?.json.deleted).toBe(true)
  expect((await ask(keeper, 'GET', 'responses/resp_1'))?.status).toBe(404)
})

test('one that was not made in the background cannot be stopped', async () => {
  const keeper = keeperOf()
  keeper.keepResponse({ id: 'resp_1' }, [{ role: 'user', content: 'a' }], [])
  expect((await ask(keeper, 'POST', 'responses/resp_1/cancel'))?.status).toBe(400)
})

test('files are kept, listed, read and deleted', async () => {
  const keeper = keeperOf()
  const { id } = (await ask(keeper, 'POST', 'files', formOf('abc')))?.json ?? {}
  expect((await ask(keeper, 'GET', `files/${id}`))?.json).toMatchObject({
    bytes: 3,
    filename: 'a.jsonl',
    purpose: 'batch',
  })
  expect((await ask(keeper, 'GET', `files/${id}/content`))?.text).toBe('abc')
  expect((await ask(keeper, 'GET', 'files'))?.json.data).toHaveLength(1)
  expect((await ask(keeper, 'DELETE', `files/${id}`))?.json.deleted).toBe(true)
  expect((await ask(keeper, 'GET', `files/${id}`))?.status).toBe(404)
  expect((await ask(keeper, 'POST', 'files', new FormData()))?.status).toBe(400)
})

test('a batch is done when it is asked for, unless it is stopped before', async () => {
  const keeper = keeperOf()
  const file = (await ask(keeper, 'POST', 'files', formOf('{"custom_id":"a","url":"/v1/x","body":{}}')))?.json
  const begin = async () => (await ask(keeper, 'POST', 'batches', { input_file_id: file.id }))?.json
  const [first, second] = [await begin(), await begin()]
  expect(first.status).toBe('validating')
  const done = (await ask(keeper, 'GET', `batches/${first.id}`))?.json
  expect(done).toMatchObject({ status: 'completed', request_counts: { completed: 1 } })
  expect((await ask(keeper, 'GET', `files/${done.output_file_id}/content`))?.text).toContain('"custom_id":"a"')
  expect((await ask(keeper, 'POST', `batches/${second.id}/cancel`))?.json.status).toBe('cancelled')
  expect((await ask(keeper, 'GET', 'batches'))?.json.data).toHaveLength(2)
  expect((await ask(keeper, 'POST', 'batches', { input_file_id: 'no' }))?.status).toBe(404)
  expect((await ask(keeper, 'GET', 'batches/no'))?.status).toBe(404)
})

test('the oldest make room; anything else is for others', async () => {
  const keeper = keeperOf()
  for (let count = 0; count <= 100; count++) keeper.keepResponse({ id: `resp_${count}` }, '', [])
  expect([keeper.hasResponse('resp_0'), keeper.hasResponse('resp_1')]).toEqual([false, true])
  for (const path of ['responses', 'models', 'chat/completions']) expect(await ask(keeper, 'POST', path, {})).toBeNull()
})
