import { expect, test } from 'bun:test'
import { buildCatalogue } from '../../../src/catalogue/index.ts'
import { frontPage, frontPageFacts, keepFrontPage } from '../../../src/site/index.ts'
import { backendOf, modelOf, partsOf } from '../catalogue/support.ts'

const catalogueOf = (name: string) => {
  const [north, south] = [backendOf('north'), backendOf('south')]
  return buildCatalogue(partsOf([north, south], [modelOf(name, [[north], [south]])]), { version: 1, createdAtS: 0 })
}

const source = { version: '0.1.0', origin: 'http://gw', catalogue: catalogueOf('m/one'), ready: true, isUp: () => true }

test('it is written again when something on it changes, and only then', () => {
  const page = keepFrontPage()
  const first = page(source)
  expect(first.html).toBe(frontPage(frontPageFacts(source)))
  expect(page({ ...source, isUp: () => true })).toBe(first)
  const changes = [
    { origin: 'https://llm.example' },
    { ready: false },
    { isUp: ({ id }: { id: string }) => id === 'north' },
    { catalogue: catalogueOf('m/two') },
    { version: '0.2.0' },
  ]
  for (const change of changes) {
    const changed = { ...source, ...change }
    const { html, etag } = page(changed)
    expect(html).toBe(frontPage(frontPageFacts(changed)))
    expect([html === first.html, etag === first.etag]).toEqual([false, false])
  }
  expect(page(source)).toEqual(first)
})
