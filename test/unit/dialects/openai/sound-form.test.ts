import { describe, expect, test } from 'bun:test'
import { soundForm } from '../../../../src/dialects/openai/sound-form.ts'
import { GatewayError } from '../../../../src/domain/index.ts'

const SOUND = Uint8Array.from({ length: 20 }, (_, at) => 255 - at)
const input_audio = { data: Buffer.from(SOUND).toString('base64'), format: 'WAV' }
const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const made = (value: unknown) => soundForm(bytesOf(value))
const factsOf = ({ form, body }: ReturnType<typeof made>) => form.facts({ body, bodyBytes: body.length, isWhole: true })

/** The form as another reader of forms understands it. */
async function fieldsOf(value: unknown) {
  const { form, body } = made(value)
  const { bodyType = '' } = form.facts({ body, bodyBytes: body.length, isWhole: true })
  return new Response(body, { headers: { 'content-type': bodyType } }).formData()
}

describe('a transcription asked in JSON is a form', () => {
  test('with the sound as its file, and a field for each of the others', async () => {
    const lists = { timestamp_granularities: ['word', 'segment'], include: [] }
    const fields = await fieldsOf({
      model: 'm"\r\n',
      input_audio,
      language: null,
      temperature: 0.5,
      stream: false,
      ...lists,
    })
    const file = fields.get('file')
    if (!(file instanceof Blob)) throw new Error('no file')
    expect(file).toHaveProperty('name', 'audio.wav')
    expect(await file.bytes()).toEqual(SOUND)
    fields.delete('file')
    expect([...fields]).toEqual([
      ['model', 'm"\r\n'],
      ['temperature', '0.5'],
      ['stream', 'false'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ])
  })

  test('whose bytes are those of the JSON: the same for the same, others for another', () => {
    const asked = { model: 'm1', input_audio }
    expect(made(asked)).toHaveProperty('body', made(asked).body)
    expect(factsOf(made(asked)).bodyType).not.toBe(factsOf(made({ ...asked, language: 'no' })).bodyType)
  })

  test('without what is for the gateway: it reads the wishes about routing, the caller’s name goes to nobody', async () => {
    const own = { provider: { order: ['b1'] }, session_id: 's1', trace: { trace_id: 't' } }
    const asked = { models: ['m1', 'm2'], user: 'somebody', input_audio, ...own }
    expect([...(await fieldsOf(asked)).keys()]).toEqual(['model', 'file'])
    const facts = factsOf(made(asked))
    expect(facts).toMatchObject({ model: 'm1', sessionId: 's1', preferences: { models: ['m2'], order: ['b1'] } })
  })
})

test.each([
  ['{"model":', 'invalid_json', null],
  ['', 'invalid_json', null],
  [[1], 'invalid_request', null],
  [{ model: 'm1' }, 'invalid_request', 'input_audio'],
  [{ model: 'm1', input_audio: 'AAAA' }, 'invalid_request', 'input_audio'],
  [{ model: 'm1', input_audio: { format: 'wav' } }, 'invalid_request', 'input_audio.data'],
  [{ model: 'm1', input_audio: { data: '', format: 'wav' } }, 'invalid_request', 'input_audio.data'],
  [{ model: 'm1', input_audio: { data: 'A*', format: 'wav' } }, 'invalid_request', 'input_audio.data'],
  [{ model: 'm1', input_audio: { data: 'data:a;base64,AAAA', format: 'wav' } }, 'invalid_request', 'input_audio.data'],
  [{ model: 'm1', input_audio: { data: 'AAAA' } }, 'invalid_request', 'input_audio.format'],
  [{ model: 'm1', input_audio: { data: 'AAAA', format: '../x' } }, 'invalid_request', 'input_audio.format'],
  [{ model: 'm1', input_audio, file: 'x' }, 'invalid_request', 'file'],
  [{ model: 'm1', input_audio, 'a"b': 'x' }, 'invalid_request', 'a"b'],
  [{ model: 'm1', input_audio, chunking_strategy: { type: 'server_vad' } }, 'invalid_request', 'chunking_strategy'],
  [{ model: 'm1', input_audio, include: [['a']] }, 'invalid_request', 'include'],
  [{ model: 'm1', input_audio, models: 'm2' }, 'invalid_request', 'models'],
  ['{"model":"m1","input_audio":{"data":"AAAA","format":"wav"},"model":"m2"}', 'duplicate_field', 'model'],
])('%j is told as %s', (body, code, param) => {
  const told = () => {
    try {
      return made(body)
    } catch (error) {
      if (error instanceof GatewayError) return { code: error.code, param: error.details.param ?? null }
      throw error
    }
  }
  expect(told()).toEqual({ code, param } as ReturnType<typeof told>)
})

test('who names no model is told so when the form is read', () => {
  expect(() => factsOf(made({ input_audio }))).toThrow(
    "Missing required parameter: 'model' (you must provide a model).",
  )
})
