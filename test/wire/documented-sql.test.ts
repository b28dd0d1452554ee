import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from '../support/gateway.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, recordOf } from '../support/wire-chat.ts'

const DOCUMENT = join(import.meta.dir, '../../docs/operating/usage.md')

interface Attempt {
  readonly backend: string
  readonly started_us: number
  readonly ended_us: number
  readonly outcome: string
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return ((middle[0] ?? 0) + (middle[1] ?? 0)) / 2
}

test('the SQL of the documents tells how fast short answers of each backend are, and what connections take of it', async () => {
  const [, sql = ''] = /```sql\n([^`]+)```/.exec(readFileSync(DOCUMENT, 'utf8')) ?? []
  await using near = await scriptedProvider()
  await using far = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider: near }, { provider: far }] },
  })
  const streamed = sse(role(), text('a'), finish(), usage(3, 2), done())
  const long = completion('long', 3, 17)
  near.script(completion('one', 3, 2), streamed, long, completion('two', 3, 1), json(500, { error: { message: 'no' } }))
  far.script(completion('three', 3, 16))
  const short: Attempt[] = []
  for (const fields of [{}, { stream: true }, {}, {}, {}, {}]) {
    const answer = chat(gateway, fields)
    const isLong = (await answer.text()).includes('long')
    const attempts: Attempt[] = (await recordOf(gateway, await answer.head())).attempts
    if (!isLong) short.push(...attempts.filter(({ outcome }) => outcome === 'succeeded'))
  }
  using records = new Database(join(gateway.dataFolder, 'records.db'), { readonly: true })
  const rows = records.query<Record<string, number | string>, []>(sql).all()
  for (const [backend, answers, kept] of [
    ['b0', 3, 0.67],
    ['b1', 2, 1],
  ] as const) {
    const its = short.filter((attempt) => attempt.backend === backend)
    const row = rows.find((one) => one.backend === backend)
    expect(row).toMatchObject({ answers, kept, opening_ms: expect.any(Number) })
    expect(its).toHaveLength(answers)
    expect(row?.median_ms).toBeCloseTo(median(its.map(({ started_us, ended_us }) => (ended_us - started_us) / 1000)), 0)
  }
  expect(rows).toHaveLength(2)
})
