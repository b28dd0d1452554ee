import { expect, test } from 'bun:test'
import { runCommand } from '../../support/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Commands on a data folder of their own, on which no server runs. */
function folder() {
  const home = temporaryFolder()
  return {
    run: (...words: string[]) => runCommand([...words, '--data', home.path]),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  }
}

test('management keys are made, listed and revoked; the audit says so', async () => {
  using place = folder()
  await place.run('accounts', 'create', '--name', 'team')
  const wish = ['--name', 'ops', '--scopes', 'credits,read', '--expires', '30d']
  const made = await place.run('management-keys', 'create', ...wish)
  expect(made).toMatchObject({ code: 0, complained: expect.stringContaining('keep it now') })
  const secret = /ak_[0-9A-Za-z]{43}/.exec(made.said)?.[0] ?? ''
  const id = /mkey_[0-9a-f]{32}/.exec(made.said)?.[0] ?? ''
  expect(made.said).toContain('read,credits')
  const listed = await place.run('management-keys', 'list')
  expect(listed.said).toContain(`${id}  ops   ${secret.slice(0, 7)}…  read,credits  active`)
  expect(listed.said).not.toContain(secret)
  expect((await place.run('management-keys', 'revoke', id)).said).toContain('revoked')
  const json = JSON.parse((await place.run('management-keys', 'list', '--json')).said)
  expect(json.data).toMatchObject([{ id, state: 'revoked' }])

  const audit = await place.run('audit')
  expect(audit.said).toMatch(/management_key\.revoke[\s\S]*management_key\.create[\s\S]*account\.create/)
  const first = await place.run('audit', '--limit', '1')
  const after = /--after (\d+)/.exec(first.complained)?.[1] ?? ''
  expect((await place.run('audit', '--limit', '1', '--after', after)).said).toContain('management_key.create')
  const filtered = await place.run('audit', '--action', 'account.create', '--json')
  expect(JSON.parse(filtered.said).data).toMatchObject([{ action: 'account.create', details: { name: 'team' } }])
  expect((await place.run('audit', '--subject', 'acc_none')).said).toBe('no changes\n')
})

test.each([
  [['management-keys', 'create', '--name', 'x', '--scopes', 'read,admin'], 'read, write, credits'],
  [['management-keys', 'create', '--name', 'x', '--scopes', 'read,read'], 'each once'],
  [['management-keys', 'create', '--name', 'x', '--scopes', ''], 'read, write, credits'],
  [['management-keys', 'create', '--name', 'x'], '--scopes'],
  [['management-keys', 'create', '--name', 'x', '--scopes', 'read', '--expires', 'soon'], 'span'],
  [['audit', '--limit', '201'], '1 to 200'],
  [['audit', '--limit', '1e1'], '1 to 200'],
])('wrong usage exits with 2: %p', async (words, complaint) => {
  using place = folder()
  const { code, said, complained } = await place.run(...words)
  expect({ code, said }).toEqual({ code: 2, said: '' })
  expect(complained).toContain(complaint)
})

test('credits with an idempotency key: the same command again moves nothing, another is refused', async () => {
  using place = folder()
  await place.run('accounts', 'create', '--name', 'team')
  const add = (usd: string) =>
    place.run('credits', 'add', '--account', 'team', '--usd', usd, '--idempotency-key', 'invoice-7', '--json')
  const first = await add('5.00')
  expect(JSON.parse(first.said)).toMatchObject({ balance_after_usd: '5.00' })
  expect((await add('5.00')).said).toBe(first.said)
  expect(await add('6.00')).toMatchObject({ code: 1, complained: expect.stringContaining('Idempotency-Key') })
  expect(JSON.parse((await place.run('accounts', 'show', 'team', '--json')).said).balance_usd).toBe('5.00')
})
