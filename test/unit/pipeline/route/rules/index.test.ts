import { expect, test } from 'bun:test'
import { rules } from '../../../../../src/pipeline/route/rules/index.ts'

test('their order and their names, which skips and explanations tell', () => {
  const named = (wanted: 'filter' | 'ranking') => rules.flatMap(({ kind, name }) => (kind === wanted ? [name] : []))
  expect(named('filter')).toEqual([
    'enabled',
    'permitted',
    'serves',
    'kept-at',
    'providers',
    'sovereignty',
    'data-handling',
    'capable',
    'context-length',
    'parameters',
    'quantizations',
    'priced',
    'max-price',
    'free',
    'own-only',
    'own-credential',
    'quarantined',
    'cooling',
  ])
  expect(named('ranking')).toEqual([
    'home-tier',
    'own-first',
    'caller-order',
    'sticky',
    'preferred-speed',
    'by-price',
    'by-latency',
    'by-throughput',
    'by-uptime',
    'by-weight',
  ])
  expect(rules.map(({ kind }) => kind).indexOf('ranking')).toBe(named('filter').length) // filters before rankings
})

test('the words for what a request wishes away, as `excluded_by` tells them', () => {
  const words = rules.flatMap((rule) =>
    rule.kind === 'filter' && rule.wish !== undefined ? [[rule.name, rule.wish]] : [],
  )
  expect(words).toEqual([
    ['serves', 'wrong_endpoint'],
    ['kept-at', 'kept_at'],
    ['providers', 'allowed_providers'],
    ['capable', 'capabilities'],
    ['context-length', 'context_length'],
    ['parameters', 'require_parameters'],
    ['quantizations', 'quantization'],
    ['max-price', 'max_price'],
    ['free', 'max_price'],
  ])
})
