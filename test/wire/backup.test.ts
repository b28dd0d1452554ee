import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { runCommand } from '../support/run-command.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { chat, eventually } from '../support/wire-chat.ts'

const run = ({ dataFolder }: Pick<TestGateway, 'dataFolder'>, ...words: string[]) =>
  runCommand([...words, '--data', dataFolder])

/** Some answers, with their settlements on disk. */
async function answers(gateway: TestGateway, count: number): Promise<void> {
  const before = await settledOf(gateway)
  for (let at = 0; at < count; at++) expect(await chat(gateway, {}).status()).toBe(200)
  await eventually(async () => (await settledOf(gateway)) === before + count || undefined)
}

const settledOf = async (gateway: TestGateway): Promise<number> =>
  (await gateway.admin('GET', '/ledger/settlements?limit=200')).body.data.length

test('a backup of a server that runs, and back to it: the money of then', async () => {
  using outside = temporaryFolder()
  await using provider = await scriptedProvider()
  provider.script(completion('ok', 3, 16))
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  await answers(gateway, 2)
  const copy = join(outside.path, 'copy')
  const made = await run(gateway, 'backup', copy)
  expect([made.code, made.complained]).toEqual([0, ''])
  expect(made.said).toMatch(/copy: \d+\.\d MB, verified\. master\.key is not in it/)
  expect(readdirSync(copy).sort()).toEqual(['ledger.db', 'records.db'])
  expect(readdirSync(join(gateway.dataFolder, 'backups'))).toEqual([])
  const then = (await gateway.admin('GET', '/accounts/test')).body.balance_usd
  expect((await run(gateway, 'ledger', 'verify', '--file', join(copy, 'ledger.db'))).said).toStartWith(
    'ledger verified: 1 account, 1 entry, 2 settlements, 0 open holds',
  )
  expect(await run(gateway, 'backup', copy)).toMatchObject({
    code: 1,
    complained: expect.stringContaining('there already'),
  })
  for (const nowhere of [join(outside.path, 'none'), join(copy, 'ledger.db'), join(copy, 'ledger.db', 'x')])
    expect(await run(gateway, 'backup', join(nowhere, 'copy'))).toMatchObject({
      code: 1,
      complained: `anyrouter: there is no folder ${nowhere}. Nothing was done.\n`,
    })
  expect(await run(gateway, 'backup')).toMatchObject({ code: 0 })
  expect(readdirSync(join(gateway.dataFolder, 'backups'))).toHaveLength(1)

  await answers(gateway, 1)
  expect(await run(gateway, 'restore', copy)).toEqual({
    code: 1,
    said: '',
    complained: 'anyrouter: a server runs on this data folder: stop it first. Nothing was done.\n',
  })
  await gateway.stop()
  const restored = await run(gateway, 'restore', copy)
  expect(restored).toMatchObject({
    code: 0,
    said: expect.stringContaining('restored: 1 account, 1 entry, 2 settlements.'),
  })
  const account = JSON.parse((await run(gateway, 'accounts', 'show', 'test', '--json')).said)
  expect(account.balance_usd).toBe(then)
  const kept = readdirSync(gateway.dataFolder).find((name) => name.startsWith('replaced-')) ?? ''
  expect((await run(gateway, 'restore', join(gateway.dataFolder, kept))).said).toContain('3 settlements')
  expect((await run(gateway, 'backup', join(outside.path, 'offline'))).code).toBe(0)
  expect((await run(gateway, 'ledger', 'verify')).said).toContain('3 settlements')
})

test('a backup that is none, or that was changed, is not restored', async () => {
  using outside = temporaryFolder()
  await using gateway = await startGateway({ offers: { m1: [{ provider: { origin: 'http://127.0.0.1:9' } }] } })
  const copy = join(outside.path, 'copy')
  expect((await run(gateway, 'backup', copy)).code).toBe(0)
  await gateway.stop()
  expect(await run(gateway, 'restore', outside.path)).toMatchObject({
    code: 1,
    complained: expect.stringContaining('is no backup'),
  })
  await Bun.write(join(copy, 'ledger.db'), 'neither a database nor anything else')
  expect((await run(gateway, 'ledger', 'verify', '--file', join(copy, 'ledger.db'))).code).toBe(1)
  expect(await run(gateway, 'restore', copy)).toMatchObject({
    code: 1,
    complained: expect.stringContaining('nothing was changed'),
  })
  expect((await run(gateway, 'accounts', 'show', 'test')).said).toContain('$1.00')
  expect(existsSync(join(gateway.dataFolder, 'restoring'))).toBe(false)
})

/** A spreadsheet's view of it. */
function readCsv(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell))
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])))
}

/** Dollars with any number of places, in nano-dollars. */
function nanoOf(usd: string): bigint {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)\.(\d+)$/.exec(usd) ?? []
  return BigInt(`${sign}${whole}${part.padEnd(9, '0')}`)
}

test('what `ledger export` wrote sums to zero by entry, and to the balances by account, in nano-dollars and in dollars', async () => {
  using outside = temporaryFolder()
  await using provider = await scriptedProvider()
  provider.script(completion('ok', 3, 16))
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  await answers(gateway, 3)
  expect((await gateway.admin('POST', '/accounts', { name: 'other' })).status).toBe(201)
  const more = { account: 'other', usd: '2.50', note: '=1+1, "quoted"' }
  expect((await gateway.admin('POST', '/credits', more)).status).toBe(201)
  const out = join(outside.path, 'ledger.csv')
  expect((await run(gateway, 'ledger', 'export', '--out', out)).said).toBe(`${out}: 10 postings\n`)
  const text = readFileSync(out, 'utf8')
  expect((await run(gateway, 'ledger', 'export')).said).toBe(text)
  const rows = readCsv(text)
  expect(rows.every(({ amount_nano, amount_usd }) => BigInt(amount_nano ?? '') === nanoOf(amount_usd ?? ''))).toBe(true)
  const sumBy = (name: string, list = rows) => {
    const sums = new Map<string, bigint>()
    for (const row of list) sums.set(row[name] ?? '', (sums.get(row[name] ?? '') ?? 0n) + BigInt(row.amount_nano ?? ''))
    return sums
  }
  expect([...sumBy('entry').values()].every((sum) => sum === 0n)).toBe(true)
  const balances = sumBy(
    'account',
    rows.filter(({ side }) => side === 'account'),
  )
  for (const { id, balance_usd } of (await gateway.admin('GET', '/accounts')).body.data)
    expect(balances.get(id)).toBe(nanoOf(balance_usd))
  expect(balances.size).toBe(2)
  expect(text).toContain(`"'=1+1, ""quoted"""`)
  expect(await run(gateway, 'ledger', 'export', '--out', out)).toMatchObject({ code: 1 })
  expect(readFileSync(out, 'utf8')).toBe(text)
})

test('an export that breaks off leaves no file that looks like a whole one', async () => {
  using outside = temporaryFolder()
  const out = join(outside.path, 'ledger.csv')
  const nowhere = { dataFolder: join(outside.path, 'none') }
  expect(await run(nowhere, 'ledger', 'export', '--out', out)).toMatchObject({ code: 1 })
  expect(readdirSync(outside.path)).toEqual([])
})

test('a page of postings that is none of ours', async () => {
  await using gateway = await startGateway({ offers: { m1: [{ provider: { origin: 'http://127.0.0.1:9' } }] } })
  expect(await gateway.admin('GET', '/ledger/postings?after=7')).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_request', param: 'after' } },
  })
})
