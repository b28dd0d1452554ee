import { expect, test } from 'bun:test'
import { createRecords } from '../../../src/records/index.ts'
import type { RequestRecord } from '../../../src/store/index.ts'

const RECORD: RequestRecord = {
  requestId: 'req_1',
  generationId: 'gen-1',
  clientRequestId: 'mine',
  accountId: 'acc_1',
  keyId: 'key_1',
  operation: 'chat.completions',
  modelAsked: 'm1',
  model: 'm1',
  backend: 'north',
  stream: false,
  status: 200,
  errorCode: null,
  startedAtMs: 1,
  timing: { gwUs: 1, stages: [['recv', 1]], upstreamUs: 2, postUs: 3, postHoldUs: 0, totalUs: 6, endedUs: 6 },
  skips: [],
  attempts: [],
}

function written(record: RequestRecord, countsAlone = false): RequestRecord | undefined {
  const rows: RequestRecord[] = []
  createRecords({ writer: { record: (row) => void rows.push(row) } }).write(record, countsAlone)
  return rows[0]
}

test('a record is written as it is', () => {
  expect(written(RECORD)).toEqual(RECORD)
  const refused = { ...RECORD, modelAsked: null, clientRequestId: null }
  expect(written(refused)).toEqual(refused)
})

test('of what a caller named, however long, its beginning is kept', () => {
  const asked = written({ ...RECORD, modelAsked: 'x'.repeat(1_000_000) })?.modelAsked
  expect(asked).toBe(`${'x'.repeat(255)}…`)
  expect(written({ ...RECORD, modelAsked: 'x'.repeat(256) })?.modelAsked).toBe('x'.repeat(256))
})

test('a character of two halves is not cut into one', () => {
  const asked = written({ ...RECORD, modelAsked: `${'x'.repeat(254)}😀😀😀` })?.modelAsked
  expect(asked?.isWellFormed()).toBe(true)
})

test('of who wants nothing kept there is no word, in the skips either', () => {
  const skips = [
    { offer: 'their words', backend: '', rule: 'known-model', reason: 'the model is not known' },
    { offer: 'north/m1', backend: 'north', rule: 'full', reason: 'full' },
  ]
  const bare = written({ ...RECORD, modelAsked: 'their words', clientRequestId: 'their words', skips }, true)
  expect(JSON.stringify(bare)).not.toContain('their words')
  expect(bare).toMatchObject({ modelAsked: 'm1', skips: [{ rule: 'known-model' }, { offer: 'north/m1' }] })
})
