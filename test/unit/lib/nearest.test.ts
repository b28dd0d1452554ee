import { describe, expect, test } from 'bun:test'
import { editDistance, nearest } from '../../../src/lib/index.ts'

describe('editDistance', () => {
  test('counts insertions, deletions, changes and swaps of neighbours', () => {
    expect(editDistance('port', 'port')).toBe(0)
    expect(editDistance('prt', 'port')).toBe(1)
    expect(editDistance('poort', 'port')).toBe(1)
    expect(editDistance('part', 'port')).toBe(1)
    expect(editDistance('prot', 'port')).toBe(1)
    expect(editDistance('', 'port')).toBe(4)
    expect(editDistance('port', '')).toBe(4)
  })
})

describe('nearest', () => {
  const names = ['host', 'port', 'body_bytes_max']

  test('gives the nearest first, and no more than asked for', () => {
    expect(nearest('hort', names, 3)).toEqual(['host', 'port'])
    expect(nearest('hots', names, 1)).toEqual(['host'])
  })

  test('does not care for capitals', () => {
    expect(nearest('BODY_BYTES_MAX', names, 1)).toEqual(['body_bytes_max'])
  })

  test('finds nothing for a name that is far from all, for an empty one and for a very long one', () => {
    expect(nearest('quarantine', names, 3)).toEqual([])
    expect(nearest('', names, 3)).toEqual([])
    expect(nearest('h'.repeat(1_000_000), names, 3)).toEqual([])
  })

  test('never suggests a name of which every letter differs', () => {
    expect(nearest('q', ['a'], 1)).toEqual([])
  })
})
