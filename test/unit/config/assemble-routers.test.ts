import { expect, test } from 'bun:test'
import { configOf, problemsOf } from './support.ts'

const MODELS = `
providers: { acme: { backends: { a: { url: "http://h" } } } }
models:
  acme/small: { offers: [{ backend: a }] }
  acme/large: { offers: [{ backend: a }] }
aliases: { small: acme/small }
`

test('a router is read with its models by id; aliases are resolved', async () => {
  const { catalogue } = await configOf(`${MODELS}
routers:
  anyrouter/auto: { candidates: [small, acme/large], needs: { images: [acme/large] } }
  anyrouter/free: { where: { price: free } }
  team/cheap: { by: price }
`)
  expect(Object.fromEntries(catalogue.routers ?? [])).toEqual({
    'anyrouter/auto': {
      candidates: ['acme/small', 'acme/large'],
      by: 'needs',
      freeOnly: false,
      needs: { images: ['acme/large'] },
    },
    'anyrouter/free': { candidates: null, by: 'needs', freeOnly: true, needs: {} },
    'team/cheap': { candidates: null, by: 'price', freeOnly: false, needs: {} },
  })
})

test('models that there are not, routers in routers, names that are taken, needs that no order looks at', async () => {
  const problems = await problemsOf(`${MODELS}routers:
  r1: { candidates: [acme/smal, r2, acme/small] }
  r2: { needs: { tools: [gone] } }
  small: {}
  acme/large: {}
  r3: { by: order, candidates: [small], needs: { tools: [small] } }
`)
  expect(problems).toMatchObject([
    { path: 'routers.r1.candidates.0', line: 8, suggestion: "Did you mean 'acme/small'?" },
    { path: 'routers.r1.candidates.1', reason: "'r2' is a router itself" },
    { path: 'routers.r2.needs.tools.0', reason: "there is no model 'gone'" },
    { path: 'routers.small', line: 10, column: 3, reason: "'small' is an alias already: the router would be hidden" },
    { path: 'routers.acme/large', reason: "'acme/large' is a model already: the router would be hidden" },
    { path: 'routers.r3.needs', reason: 'the router orders its models by order' },
  ])
})

test.each([
  ['{ candidates: [] }', 'candidates'],
  ['{ by: best }', 'by'],
  ['{ where: { price: cheap } }', 'where.price'],
  ['{ needs: { music: [small] } }', 'needs'],
  ['{ needs: { tools: [] } }', 'needs.tools'],
  ['{ candidate: [small] }', 'candidate'],
])('%s is refused', async (text, path) => {
  const [problem, ...others] = await problemsOf(`${MODELS}routers: { r: ${text} }\n`)
  expect(problem?.path).toStartWith(`routers.r.${path}`)
  expect(others).toEqual([])
})

test('without a model there is nothing to suggest', async () => {
  expect(await problemsOf('routers: { r: { candidates: [m] } }')).toMatchObject([
    { path: 'routers.r.candidates.0', suggestion: 'This file has no model.' },
  ])
})
