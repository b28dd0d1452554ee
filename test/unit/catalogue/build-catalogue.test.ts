import { describe, expect, test } from 'bun:test'
import { buildCatalogue } from '../../../src/catalogue/index.ts'
import { Bug } from '../../../src/lib/index.ts'
import { backendOf, modelOf, partsOf } from './support.ts'

const STAMP = { version: 7, createdAtS: 1_800_000_000 }

describe('buildCatalogue', () => {
  test('makes a frozen snapshot with its stamp, apart from the maps it was given', () => {
    const a = backendOf('a')
    const backends = new Map([['a', a]])
    const catalogue = buildCatalogue({ ...partsOf([], [modelOf('m', [[a]])]), backends }, STAMP)
    backends.clear()
    expect(catalogue).toMatchObject(STAMP)
    expect(catalogue.backends.get('a')).toBe(a)
    expect(catalogue.models.get('m')?.offers[0]?.backend).toBe(a)
    expect(Object.isFrozen(catalogue)).toBe(true)
    expect(Object.isFrozen(catalogue.models.get('m')?.offers[0])).toBe(true)
    expect(Object.isFrozen(a.provider)).toBe(true)
  })

  test('references that point nowhere are bugs', () => {
    const [a, twin] = [backendOf('a'), backendOf('a')]
    expect(() => buildCatalogue(partsOf([a], [modelOf('m', [[twin]])]), STAMP)).toThrow(Bug)
    expect(() => buildCatalogue(partsOf([], [modelOf('m', [[a]])]), STAMP)).toThrow(Bug)
    expect(() => buildCatalogue(partsOf([a], [], { x: 'm' }), STAMP)).toThrow(Bug)
    expect(() => buildCatalogue(partsOf([a], [modelOf('m', [[a]])], { m: 'm' }), STAMP)).toThrow(Bug)
    const moved = { ...modelOf('other', [[a]]), id: 'm' }
    expect(() => buildCatalogue(partsOf([a], [moved]), STAMP)).toThrow(Bug)
  })
})
