import { expect, test } from 'bun:test'
import { isNamed, slugOf } from '../../../src/domain/provider-slug.ts'
import { backendOf, modelOf } from '../catalogue/support.ts'

test('small letters, and a dash for what stands between words', () => {
  expect(slugOf(' Google  Vertex/US_east.5 ')).toBe('google-vertex/us-east-5')
})

test('a provider stands for all of it; a slash leads to a region, a backend, a quantization', () => {
  const backend = { ...backendOf('Acme_EU.1'), region: 'fr', provider: { ...backendOf('x').provider, id: 'Acme' } }
  const [offer] = modelOf('m', [[backend]]).offers
  if (offer === undefined) throw new Error('a model has its offer')
  for (const slug of ['acme', 'acme-eu-1', 'acme/fr', 'acme/acme-eu-1']) expect(isNamed(offer, slug)).toBe(true)
  for (const slug of ['acm', 'acme/', 'acme/f', 'acme/fr/x', 'fr', 'acme/fp8', ''])
    expect(isNamed(offer, slug)).toBe(false)
  expect(isNamed({ ...offer, quantization: 'fp8' }, 'acme/fp8')).toBe(true)
})
