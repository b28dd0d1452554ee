import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/index.ts'
import { identify } from '../../../src/pipeline/identify.ts'
import { createHouseDouble } from '../../support/house.ts'

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
  )

test('whose key is shown, whichever way; unknown and revoked ones, and disabled accounts, are refused', async () => {
  await using world = createHouseDouble()
  const { house } = world
  const account = await house.accounts.createAccount({ name: 'acme', kind: 'unmetered' })
  const { key, secret } = await house.accounts.createKey({ accountId: account.id, name: 'first' })
  const ask = (headers: Record<string, string>) =>
    identify(house, new Request('http://gateway/api/v1/key', { headers }), () => '203.0.113.7')
  for (const headers of [{ authorization: `Bearer ${secret}` }, { 'x-api-key': secret }, { 'api-key': secret }])
    expect(await ask(headers)).toMatchObject({ account: { id: account.id }, key: { id: key.id } })
  expect(await code(ask({}))).toBe('missing_api_key')
  expect(await code(ask({ authorization: 'Bearer sk-ar-v1-nobody' }))).toBe('invalid_api_key')
  await house.accounts.updateKey({ id: key.id, change: { addresses: ['10.0.0.0/8'] }, version: null })
  expect(await code(ask({ 'x-api-key': secret }))).toBe('address_not_permitted')
  await house.accounts.updateKey({ id: key.id, change: { addresses: null }, version: null })
  await house.accounts.updateAccount({ id: account.id, change: { disabled: true }, version: null })
  expect(await code(ask({ 'x-api-key': secret }))).toBe('account_disabled')
  await house.accounts.revokeKey(key.id)
  expect(await code(ask({ 'x-api-key': secret }))).toBe('invalid_api_key')
})
