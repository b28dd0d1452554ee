import { describe, expect, test } from 'bun:test'
import { keeperOf } from '../../../src/pipeline/keeper-of.ts'
import { backendOf } from '../catalogue/support.ts'
import { secretOf, thingOf } from './kept-kit.ts'

const main = { id: 'main', secret: 's1' }
const spare = { id: 'spare', secret: 's2' }
const plain = backendOf('north')
const north = { ...plain, provider: { ...plain.provider, credentials: [main, spare] } }
const off = backendOf('off', false)
const backends = new Map([north, off].map((backend) => [backend.id, backend]))
const house = { catalogue: () => ({ backends }) } as unknown as Parameters<typeof keeperOf>[0]
const mine = secretOf('cred_1', north.provider.id)
const placed = secretOf('cred_2', north.provider.id, 'https://own.example/v1')

const keeper = (fields: Parameters<typeof thingOf>[0], own = [mine, placed]) =>
  keeperOf(house, { own }, thingOf(fields))

describe('the backend, and the credential that it was made with', () => {
  test.each([
    ['the operator’s', { credential: 'spare' }, spare],
    ['one that is there no more', { credential: 'gone' }, main],
    ['none', { credential: null }, main],
    ['the account’s own', { credential: 'cred_1', isOwn: true }, mine],
  ])('%s', (_name, fields, credential) => expect(keeper(fields)).toEqual({ backend: north, credential }))

  test('at a place of the account’s own', () => {
    const { backend, credential } = keeper({ backend: 'own:cred_2', credential: 'cred_2', isOwn: true })
    expect([backend.id, backend.baseUrl, credential]).toEqual(['own:cred_2', 'https://own.example/v1', placed])
  })
})

describe('who is there no more', () => {
  test.each([
    ['the backend', { backend: 'gone' }],
    ['a backend that is switched off', { backend: 'off' }],
    ['the own credential', { credential: 'gone', isOwn: true }],
    ['the backend of an own credential', { backend: 'gone', credential: 'cred_1', isOwn: true }],
  ])('%s', (_name, fields) => expect(() => keeper(fields)).toThrow(/not in use any more/))

  test('the provider of a place', () => {
    const own = [secretOf('cred_3', 'gone', 'https://own.example')]
    expect(() => keeper({ credential: 'cred_3', isOwn: true }, own)).toThrow('The provider that keeps it')
  })
})
