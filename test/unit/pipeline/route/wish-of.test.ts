import { expect, test } from 'bun:test'
import type { RequestFacts } from '../../../../src/dialects/index.ts'
import type { KeptFor } from '../../../../src/pipeline/find-kept.ts'
import { attemptsMaxOf, wishOf } from '../../../../src/pipeline/route/wish-of.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { callAt, preparedOf } from '../support.ts'

async function callWith(headers: Record<string, string>) {
  await using world = createHouseDouble({ backends: { north: {} } })
  return callAt(world, { headers }).call
}
const { facts } = preparedOf()
const wish = async (headers: Record<string, string>, more: Partial<RequestFacts> = {}) =>
  wishOf(await callWith(headers), { ...facts, ...more })

test('a plain request wishes its model, and nothing is made of it', async () => {
  const plain = await wish({})
  expect(plain).toMatchObject({ model: facts.model, pin: undefined, session: undefined })
  expect(plain.request?.preferences).toBeUndefined()
})

test('what it asks for, what spreads it and where its things are kept go along', async () => {
  const call = await callWith({})
  const kept = { id: 'file-1' } as unknown as KeptFor // only handed on
  const wished = wishOf(call, facts, kept)
  expect(wished).toMatchObject({ operation: 'chat.completions', seed: call.requestId })
  expect(wished.request).toBe(facts)
  expect(wished.kept).toBe(kept)
})

test('the session is that of the body, else of the head, else the key of the cache', async () => {
  const all = { sessionId: 'body', promptCacheKey: 'cache' }
  expect((await wish({ 'x-session-id': 'head' }, all)).session).toBe('body')
  expect((await wish({ 'x-session-id': 'head' }, { promptCacheKey: 'cache' })).session).toBe('head')
  expect((await wish({}, { promptCacheKey: 'cache' })).session).toBe('cache')
  expect((await wish({ 'x-session-id': '' }, { promptCacheKey: 'cache' })).session).toBe('cache')
  expect((await wish({ 'x-session-id': 's'.repeat(256) })).session).toHaveLength(256)
})

test('a pin is a slug', async () => {
  expect((await wish({ 'x-anyrouter-provider': 'Acme Labs' })).pin).toBe('acme-labs')
  expect((await wish({ 'x-anyrouter-provider': 'a'.repeat(200) })).pin).toHaveLength(200)
})

test.each([
  [{ 'x-anyrouter-provider': ' ' }, 'x-anyrouter-provider'],
  [{ 'x-anyrouter-provider': 'a'.repeat(201) }, 'x-anyrouter-provider'],
  [{ 'x-session-id': 's'.repeat(257) }, 'x-session-id'],
])('%j is a fault', async (headers, param) => {
  const call = await callWith(headers as Record<string, string>)
  expect(() => wishOf(call, facts)).toThrow(expect.objectContaining({ status: 400, details: { param } }))
})

test('attempts are as many as the caller allows, within what the operator does', async () => {
  const asked = async (value?: string) =>
    attemptsMaxOf(await callWith(value === undefined ? {} : { 'x-max-attempts': value }))
  expect(await asked()).toBe(3)
  expect(await asked('1')).toBe(1)
  expect(await asked('7')).toBe(3)
  for (const bad of ['0', '-1', '1.5', 'two', '']) {
    const call = await callWith({ 'x-max-attempts': bad })
    expect(() => attemptsMaxOf(call)).toThrow(expect.objectContaining({ details: { param: 'x-max-attempts' } }))
  }
})
