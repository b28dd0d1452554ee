import { expect, test } from 'bun:test'
import { decidedBy, RankBook, ranksView } from '../../../src/pipeline/rank-book.ts'
import { ownSecret } from './route/route-kit.ts'
import { offerAt } from './route/wish-kit.ts'

const rank = (rule: string, key: number) => ({ rule, key })

test('each candidate has its own ranks, with and without an own credential', () => {
  const book = new RankBook()
  const plain = offerAt({})
  const own = { ...plain, own: ownSecret('cred') }
  book.write(plain, [rank('own-first', 1)])
  book.write(own, [rank('own-first', 0)])
  const other = { ...plain, own: ownSecret('other') }
  book.write(other, [rank('own-first', 2)])
  book.precede([own], rank('router', 3))
  expect(book.of(other)).toEqual([rank('own-first', 2)])
  expect(book.of(plain)).toEqual([rank('own-first', 1)])
  expect(book.of(own)).toEqual([rank('router', 3), rank('own-first', 0)])
  expect(new RankBook().of(plain)).toEqual([])
})

test('the first ranking that differs has decided', () => {
  const first = [rank('home-tier', 0), rank('by-price', 5), rank('catalogue-order', 1)]
  expect(decidedBy(first, [rank('home-tier', 0), rank('by-price', 7), rank('catalogue-order', 0)])).toBe('by-price')
  expect(decidedBy(first, first)).toBeNull()
})

test('the key of what is not known is told as null', () => {
  expect(ranksView([rank('by-latency', Number.MAX_VALUE), rank('by-price', 5)])).toEqual([
    { rule: 'by-latency', key: null },
    { rule: 'by-price', key: 5 },
  ])
})
