import { expect, test } from 'bun:test'
import { passedOn } from '../../../../src/dialects/anthropic/passed-on.ts'

const of = (url: string, headers: Record<string, string>) => passedOn(new Request(url, { headers }))

test('the version, as the caller says it; else the one that everybody knows', () => {
  expect(passedOn(null)).toEqual({ headers: [['anthropic-version', '2023-06-01']], query: '' })
  expect(of('http://gw/v1/messages', {}).headers).toEqual([['anthropic-version', '2023-06-01']])
  expect(of('http://gw/v1/messages', { 'Anthropic-Version': '2026-10-21' }).headers).toEqual([
    ['anthropic-version', '2026-10-21'],
  ])
})

test('betas under either name, and nothing else', () => {
  const { headers } = of('http://gw/v1/messages', {
    'x-anthropic-beta': 'a,b',
    'x-api-key': 'k',
    cookie: 'c',
    'x-stainless-os': 'l',
  })
  expect(headers).toEqual([
    ['anthropic-version', '2023-06-01'],
    ['anthropic-beta', 'a,b'],
  ])
})

test('of the query nothing but beta=true', () => {
  expect(of('http://gw/v1/messages?beta=true', {}).query).toBe('?beta=true')
  expect(of('http://gw/v1/messages?key=secret&beta=true', {}).query).toBe('')
})

test('what no head may hold stays behind', () => {
  const { headers } = of('http://gw/v1/messages', {
    'anthropic-version': '2026\x7f',
    'anthropic-beta': '\x7f',
    'x-anthropic-beta': 'a',
  })
  expect(headers).toEqual([
    ['anthropic-version', '2023-06-01'],
    ['anthropic-beta', 'a'],
  ])
})
