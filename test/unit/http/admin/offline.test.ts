import { expect, test } from 'bun:test'
import { openOffline } from '../../../../src/app.ts'
import { loadConfig } from '../../../../src/config/index.ts'
import { systemClock, systemRandom } from '../../../../src/lib/index.ts'
import { FolderLocked } from '../../../../src/store/index.ts'
import { createLog } from '../../../../src/telemetry/index.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const QUIET = { write: () => {}, flush: () => Promise.resolve(), flushSync: () => {}, droppedLines: 0 }

/** The admin API over a data folder on disk, as a command opens it when no server runs. */
async function open(dataFolder: string) {
  const loaded = await loadConfig(null, {
    env: {},
    wallMs: () => 0,
    readFile: () => Promise.reject(new Error('no files')),
  })
  if (loaded.kind === 'problems') throw new Error('the defaults are not valid')
  const clock = systemClock()
  const { admin, close } = await openOffline({
    dataFolder,
    config: loaded.config,
    configPath: () => null,
    checkConfig: () => Promise.resolve([]),
    version: 'test',
    log: createLog({ destination: QUIET, level: 'error', clock }),
    clock,
    random: systemRandom(),
    actor: 'local:7',
  })
  return {
    async call(method: string, path: string, body?: object) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await admin.handle(new Request(`http://admin/admin/v1${path}`, { method, ...sent }))
      return { status: response.status, body: JSON.parse(await response.text()) }
    },
    [Symbol.asyncDispose]: close,
  }
}

test('on a real store: what was done in one opening is there in the next, and paged alike', async () => {
  using folder = temporaryFolder()
  {
    await using first = await open(folder.path)
    for (const name of ['team', 'b', 'c']) expect((await first.call('POST', '/accounts', { name })).status).toBe(201)
    expect((await first.call('POST', '/accounts', { name: 'team' })).body.error.code).toBe('conflict')
    for (const usd of ['5.00', '0.000000001']) {
      expect((await first.call('POST', '/credits', { account: 'team', usd })).status).toBe(201)
    }
    const debit = { account: 'team', usd: '-4.00', kind: 'adjustment' }
    const debits = await Promise.all([first.call('POST', '/credits', debit), first.call('POST', '/credits', debit)])
    expect(debits.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect((await first.call('POST', '/keys', { account: 'team', name: 'laptop' })).status).toBe(201)
    expect(await open(folder.path).catch((error: unknown) => error)).toBeInstanceOf(FolderLocked)
  }
  await using second = await open(folder.path)
  expect((await second.call('GET', '/accounts/team')).body).toMatchObject({ balance_usd: '1.000000001' })

  const page = (await second.call('GET', '/accounts?limit=2')).body
  expect(page).toMatchObject({ has_more: true, data: [{ name: 'b' }, { name: 'c' }] })
  expect((await second.call('GET', `/accounts?limit=2&after=${page.next}`)).body).toMatchObject({
    has_more: false,
    next: null,
    data: [{ name: 'team' }],
  })
  const history = (await second.call('GET', '/credits?account=team&limit=2')).body
  expect(history.data.map(({ amount_usd }: { amount_usd: string }) => amount_usd)).toEqual(['-4.00', '0.000000001'])
  const rest = (await second.call('GET', `/credits?account=team&limit=2&after=${history.next}`)).body
  expect(rest).toMatchObject({ has_more: false, data: [{ amount_usd: '5.00', actor: 'local:7' }] })

  const keys = (await second.call('GET', '/keys?account=team')).body.data
  expect(keys).toMatchObject([{ name: 'laptop', revoked: false }])
  expect((await second.call('POST', `/keys/${keys[0].id}/revoke`)).body.revoked).toBe(true)
  expect((await second.call('GET', '/ledger/settlements')).body.data).toEqual([])
  expect((await second.call('POST', '/ledger/verify')).body).toMatchObject({
    clean: true,
    accounts: 3,
    entries: 3,
    open_holds: 0,
    balance_sum_nano: '1000000001',
  })
})

test('503: a store that is closed changes nothing and answers nothing', async () => {
  using folder = temporaryFolder()
  const world = await open(folder.path)
  await world[Symbol.asyncDispose]()
  for (const answer of [
    await world.call('POST', '/accounts', { name: 'late' }),
    await world.call('GET', '/accounts'),
  ]) {
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } })
  }
})
