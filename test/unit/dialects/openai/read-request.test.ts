import { describe, expect, test } from 'bun:test'
import { readRequest } from '../../../../src/dialects/openai/read-request.ts'
import { GatewayError } from '../../../../src/domain/index.ts'
import { Bug } from '../../../../src/lib/index.ts'

const USER = '"messages":[{"role":"user","content":"CANARY"}]'

/** What readRequest throws for this body. */
function faultOf(body: string | Uint8Array): GatewayError {
  try {
    readRequest('chat.completions', Buffer.from(body))
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('the body was accepted')
}

describe('a body that is no JSON is refused with its position', () => {
  const cases: readonly [name: string, body: string, message: string][] = [
    ['empty', '', 'The body is empty: a JSON object is expected.'],
    ['cut', '{"model":"m",', 'the document ends too early at line 1, column 14 (byte 13).'],
    ['comma at the end', '{"model":"m",\n "x":[1,]\n}', 'a value is expected at line 2, column 9 (byte 22).'],
    ['column in characters', '{"é😀":x}', 'a value is expected at line 1, column 7 (byte 10).'],
    ['two documents', '{}{}', 'something follows the end of the document at line 1, column 3 (byte 2).'],
    ['single quotes', "{'a':1}", 'a field name in double quotes is expected at line 1, column 2 (byte 1).'],
    [
      'byte order mark',
      '\ufeff{}',
      'a byte order mark, which JSON does not have, stands before the document at line 1',
    ],
    ['too deep', `{"x":${'['.repeat(600)}`, 'nested deeper than 512 levels at line 1, column 517 (byte 516).'],
    ['a form', 'model=m&messages=CANARY', 'a value is expected at line 1, column 1 (byte 0).'],
    [
      'not JSON, and a field at fault before',
      '{"model":7,"x":NaN}',
      'a value is expected at line 1, column 16 (byte 15).',
    ],
  ]
  for (const [name, body, message] of cases) {
    test(name, () => {
      const fault = faultOf(body)
      expect(fault.code).toBe('invalid_json')
      expect(fault.status).toBe(400)
      expect(fault.message).toContain(message)
      expect(fault.message).not.toContain('CANARY')
    })
  }
})

describe('a field at fault is named', () => {
  const cases: readonly [body: string, param: string | undefined, message: string][] = [
    ['[1]', undefined, 'The body must be a JSON object, but it is an array.'],
    ['"CANARY"', undefined, 'The body must be a JSON object, but it is a string.'],
    ['null', undefined, 'The body must be a JSON object, but it is null.'],
    ['{}', 'model', "Missing required parameter: 'model' (you must provide a model)."],
    [`{"model":"",${USER}}`, 'model', "Missing required parameter: 'model' (you must provide a model)."],
    [`{"model":7,${USER}}`, 'model', "Invalid type for 'model': expected a string, but got a number instead."],
    [`{"model":null,${USER}}`, 'model', "Invalid type for 'model': expected a string, but got null instead."],
    ['{"model":"m"}', 'messages', "Missing required parameter: 'messages'."],
    ['{"model":"m","messages":[]}', 'messages', "Invalid 'messages': empty array."],
    ['{"model":"m","messages":"CANARY"}', 'messages', 'expected an array of objects, but got a string instead.'],
    ['{"model":"m","messages":null}', 'messages', 'but got null instead.'],
    ['{"model":"m","messages":["CANARY"]}', 'messages[0]', 'expected an object, but got a string instead.'],
    [
      '{"model":"m","messages":[{"role":"user"},{}]}',
      'messages[1].role',
      "Missing required parameter: 'messages[1].role'.",
    ],
    [
      '{"model":"m","messages":[{"role":"CANARY"}]}',
      'messages[0].role',
      "Supported values are: 'system', 'developer',",
    ],
    [
      '{"model":"m","messages":[{"role":["user"]}]}',
      'messages[0].role',
      'expected a string, but got an array instead.',
    ],
    [`{"model":"m",${USER},"stream":"true"}`, 'stream', 'expected a boolean, but got a string instead.'],
    [`{"model":"m",${USER},"stream":1}`, 'stream', 'expected a boolean, but got a number instead.'],
  ]
  for (const [body, param, message] of cases) {
    test(body, () => {
      const fault = faultOf(body)
      expect(fault.code).toBe('invalid_request')
      expect(fault.status).toBe(400)
      expect(fault.details.param).toBe(param)
      expect(fault.message).toContain(message)
      expect(fault.message).not.toContain('CANARY')
    })
  }
})

describe('a field that is read may be given once only', () => {
  const cases: readonly [body: string, param: string][] = [
    [`{"model":"a","model":"b",${USER}}`, 'model'],
    [`{"model":"a","mod\\u0065l":"b",${USER}}`, 'model'],
    [`{"model":"a",${USER},${USER}}`, 'messages'],
    [`{"model":"a",${USER},"stream":false,"stream":true}`, 'stream'],
    [`{"model":"a",${USER},"n":1,"n":9}`, 'n'],
    [`{"model":"a",${USER},"max_tokens":1,"max_tokens":9}`, 'max_tokens'],
    [`{"model":"a",${USER},"stream_options":null,"stream_options":{}}`, 'stream_options'],
    [
      `{"model":"a",${USER},"stream_options":{"include_usage":true,"include_usage":false}}`,
      'stream_options.include_usage',
    ],
  ]
  for (const [body, param] of cases) {
    test(body, () => {
      const fault = faultOf(body)
      expect(fault.code).toBe('duplicate_field')
      expect(fault.details.param).toBe(param)
    })
  }

  test('others pass', () => {
    expect(readRequest('chat.completions', Buffer.from(`{"model":"a","x":1,"x":2,${USER}}`)).model).toBe('a')
  })
})

test('bytes that are no UTF-8 pass inside strings', () => {
  const body = Buffer.concat([
    Buffer.from('{"model":"m","messages":[{"role":"user","content":"'),
    Buffer.from([0xff, 0xc0, 0x80]),
    Buffer.from('"}]}'),
  ])
  expect(readRequest('chat.completions', body).promptTextBytes).toBe(4 + 3)
})

test('a model name is decoded', () => {
  expect(readRequest('chat.completions', Buffer.from(`{"model":"d\\u00e9mo\\/é",${USER}}`)).model).toBe('démo/é')
})

test('odd counts and limits are the provider’s to judge', () => {
  for (const odd of ['0', '-1', '1.5', '1e99', 'null', '[]', '{}', 'true']) {
    const facts = readRequest('chat.completions', Buffer.from(`{"model":"m",${USER},"n":${odd},"best_of":${odd}}`))
    expect(facts.choices).toBe(1)
  }
  for (const odd of ['-1', '1.5', '1e99', '"7"', 'null', '[]', '{}', 'true']) {
    expect(readRequest('chat.completions', Buffer.from(`{"model":"m",${USER},"max_tokens":${odd}}`)).outputLimit).toBe(
      null,
    )
  }
  expect(readRequest('chat.completions', Buffer.from(`{"model":"m",${USER},"max_tokens":0}`)).outputLimit).toBe(0)
  expect(readRequest('chat.completions', Buffer.from(`{"model":"m",${USER},"n":2,"best_of":5}`)).choices).toBe(5)
})

test('a count as a text is refused: a provider that takes it for the number gives more than was held for', () => {
  for (const name of ['n', 'best_of']) {
    const fault = faultOf(`{"model":"m",${USER},"${name}":"128"}`)
    expect([fault.code, fault.details.param]).toEqual(['invalid_request', name])
  }
})

test('of two limits one that is no count leaves none that is known, and both are where a limit is put in', () => {
  for (const odd of ['"100000"', '-1', '1e99', '1.5']) {
    const facts = readRequest(
      'chat.completions',
      Buffer.from(`{"model":"m",${USER},"max_tokens":10,"max_completion_tokens":${odd}}`),
    )
    expect(facts.outputLimit).toBe(null)
    expect(facts.layout.outputLimits.length).toBe(2)
  }
})

test('text to be spoken is a string: its characters are billed', () => {
  for (const input of ['["hello"]', '[1, 2]', '{"text":"hello"}', 'null'])
    expect(() => readRequest('audio.speech', Buffer.from(`{"model":"m","input":${input}}`))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    )
})

test('a tier that the provider bills at more than its usual price is told', () => {
  for (const [tier, dearer] of [
    ['priority', 'service_tier'],
    ['fast', 'service_tier'],
    ['flex', undefined],
    ['auto', undefined],
  ] as const) {
    const fields = `"model":"m","service_tier":"${tier}"`
    expect(readRequest('chat.completions', Buffer.from(`{${fields},${USER}}`)).dearer).toBe(dearer)
    expect(readRequest('responses', Buffer.from(`{${fields},"input":"a"}`)).dearer).toBe(dearer)
  }
})

test('what reaches the model beside the messages is text of the prompt', () => {
  const plain = readRequest('chat.completions', Buffer.from(`{"model":"m",${USER}}`)).promptTextBytes
  const more = '"documents":[{"text":"abcd"}],"chat_template_kwargs":{"a":"efg"},"prediction":{"content":"hi"}'
  expect(readRequest('chat.completions', Buffer.from(`{"model":"m",${USER},${more}}`)).promptTextBytes).toBe(plain + 9)
})

test('another operation is a bug', () => {
  expect(() => readRequest('models.list', Buffer.from('{}'))).toThrow(Bug)
})
