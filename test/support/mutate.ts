import type { Dice } from './abort-plan.ts'

/** What readers stumble over, put where they do not expect it. */
const ODD: readonly Buffer[] = [
  ...['null', 'true', '""', '"', '\\', '{', '}', '[', ']', ',', ':', '{}', '[]', '-0', '1e999', '-1', '0.1e-400'],
  ...[
    '9007199254740993',
    '"\\ud800"',
    '"\\u0000"',
    '\\u',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\r\n\r\n',
    ': ',
    'data:',
    'data: ',
  ],
  ...[
    'event: error\n',
    '[DONE]',
    'data: [DONE]\n\n',
    'id: 1\n',
    'retry: 0\n',
    '\ufeff',
    '\u2028',
    '\0',
    '"model":"m2",',
  ],
  ...[
    '"stream":true,',
    '"stream":1,',
    '"n":100000,',
    '"error":{},',
    '"usage":null,',
    '"choices":null,',
    '"__proto__":{},',
  ],
  ...[
    '"max_tokens":-1,',
    '"max_tokens":1e30,',
    '"type":"error",',
    '"index":-1,',
    '"index":4294967296,',
    '['.repeat(2000),
  ],
  ...['9'.repeat(400), 'ä', '<html>', ' '.repeat(300)],
].map((text) => Buffer.from(text))

/** The bytes with up to six faults in them. Never changes its input. */
export function mutate(dice: Dice, bytes: Buffer): Buffer {
  let mutated = bytes
  for (let left = 1 + dice(6); left > 0; left--) mutated = once(dice, mutated)
  return mutated
}

/** The bytes with up to three values of JSON in the place of others: what stays well-formed goes deeper than what does not. */
export function mutateValues(dice: Dice, bytes: Buffer): Buffer {
  let mutated = bytes
  for (let left = 1 + dice(3); left > 0; left--) mutated = withOtherValue(dice, mutated)
  return mutated
}

function once(dice: Dice, bytes: Buffer): Buffer {
  const at = dice(bytes.length + 1)
  const end = Math.min(bytes.length, at + 1 + dice(dice(4) === 0 ? 400 : 8))
  switch (dice(7)) {
    case 0:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([dice(256)]),
        bytes.subarray(Math.min(at + 1, bytes.length)),
      ])
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
    case 2:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)])
    case 3:
      return dice(4) === 0 ? bytes.subarray(0, at) : bytes
    case 4:
      return withOtherValue(dice, bytes)
    default:
      return Buffer.concat([bytes.subarray(0, at), ODD[dice(ODD.length)] ?? Buffer.alloc(0), bytes.subarray(at)])
  }
}

function withOtherValue(dice: Dice, bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  const values = [...text.matchAll(/:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\{\}|\[\])/g)]
  const chosen = values[dice(Math.max(1, values.length))]
  if (chosen === undefined) return bytes
  const others = [
    'null',
    '[]',
    '{}',
    '-1',
    '1e999',
    '""',
    'true',
    '9007199254740993',
    '[null]',
    '{"a":[]}',
    '"x"',
    '0.5',
  ]
  const begin = chosen.index + chosen[0].length - (chosen[1] ?? '').length
  const other = Buffer.from(others[dice(others.length)] ?? 'null')
  return Buffer.concat([bytes.subarray(0, begin), other, bytes.subarray(chosen.index + chosen[0].length)])
}
