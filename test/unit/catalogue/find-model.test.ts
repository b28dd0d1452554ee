import { describe, expect, test } from 'bun:test'
import { buildCatalogue, findModel, findRouter, nearNames } from '../../../src/catalogue/index.ts'
import { backendOf, modelOf, partsOf } from './support.ts'

const a = backendOf('a')
const names = ['acme/small', 'acme/large', 'zeta/small', 'gpt-4o-mini']
const catalogue = buildCatalogue(
  partsOf(
    [a],
    names.map((name) => modelOf(name, [[a]])),
    { quick: 'acme/small' },
  ),
  { version: 1, createdAtS: 0 },
)

describe('findModel', () => {
  test('finds by id and by alias, exactly', () => {
    expect(findModel(catalogue, 'acme/large')?.id).toBe('acme/large')
    expect(findModel(catalogue, 'quick')?.id).toBe('acme/small')
    expect(findModel(catalogue, 'Quick')).toBeNull()
    expect(findModel(catalogue, '')).toBeNull()
    expect(findModel(catalogue, 'constructor')).toBeNull()
  })
})

describe('findRouter', () => {
  test('by its name, or by what OpenRouter calls it', () => {
    const idOf = (name: string) => findRouter(catalogue, name)?.id
    expect(['anyrouter/auto', 'openrouter/auto', 'openrouter/free'].map(idOf)).toEqual([
      'anyrouter/auto',
      'anyrouter/auto',
      'anyrouter/free',
    ])
    expect([findRouter(catalogue, 'acme/small'), findRouter(catalogue, '')]).toEqual([null, null])
  })
})

describe('nearNames', () => {
  test('those alone that may be told', () => {
    expect(nearNames(catalogue, 'small', 1, (name) => name !== 'acme/small')).toEqual(['zeta/small'])
  })

  test('finds slips of the pen, aliases too', () => {
    expect(nearNames(catalogue, 'gpt4o-mini', 3)).toEqual(['gpt-4o-mini'])
    expect(nearNames(catalogue, 'qiuck', 3)).toEqual(['quick'])
    expect(nearNames(catalogue, 'Acme/Smal', 1)).toEqual(['acme/small'])
  })

  test('finds the same name of every maker', () => {
    expect(nearNames(catalogue, 'small', 3)).toEqual(['acme/small', 'zeta/small'])
    expect(nearNames(catalogue, 'openai/gpt-4o-mini', 3)).toEqual(['gpt-4o-mini'])
  })

  test('finds the model of a variant that there is none of', () => {
    expect(nearNames(catalogue, 'acme/Large:online', 3)).toEqual(['acme/large'])
    expect(nearNames(catalogue, 'quick:FLOOR', 1)).toEqual(['quick'])
    expect(nearNames(catalogue, ':free', 3)).toEqual([])
    expect(nearNames(catalogue, 'quick', 3)).toEqual(['quick'])
    const colons = buildCatalogue(partsOf([a], [modelOf('acme/llama:Free', [[a]])]), { version: 1, createdAtS: 0 })
    expect(nearNames(colons, 'acme/llama:free:online', 1)).toEqual(['acme/llama:Free'])
  })

  test('names each once, and no more than asked for', () => {
    expect(nearNames(catalogue, 'acne/small', 3)).toEqual(['acme/small', 'zeta/small'])
    expect(nearNames(catalogue, 'acne/small', 1)).toEqual(['acme/small'])
  })

  test('finds nothing for what is far from all', () => {
    expect(nearNames(catalogue, 'claude-opus', 3)).toEqual([])
    expect(nearNames(catalogue, '', 3)).toEqual([])
    expect(nearNames(catalogue, 'x/', 3)).toEqual([])
  })
})
