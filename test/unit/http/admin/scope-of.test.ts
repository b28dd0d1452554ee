import { expect, test } from 'bun:test'
import { scopeOf } from '../../../../src/http/admin/scope-of.ts'
import { adminWorld } from './support.ts'

test('every GET needs read, every move of money credits, all that is not known to be harmless write', async () => {
  await using world = adminWorld()
  const routes = world.app.routes.map(({ method, path }) => ({ method, path, scope: scopeOf(method, path) }))
  expect(routes.length).toBeGreaterThan(25)
  const of = (scope: string) =>
    routes.filter((route) => route.scope === scope).map(({ method, path }) => `${method} ${path.slice(9)}`)
  expect(of('credits')).toEqual(['POST /credits/refunds', 'POST /credits/grants', 'POST /credits'])
  expect(of('read').filter((route) => !route.startsWith('GET '))).toEqual(['POST /ledger/verify', 'POST /route'])
  expect(of('write').filter((route) => route.startsWith('GET '))).toEqual([])
})

test.each([
  ['POST', '/admin/v1/credits/', 'credits'],
  ['POST', '/admin/v1/credits/anything', 'credits'],
  ['POST', '/admin/v1/creditsx', 'write'],
  ['DELETE', '/admin/v1/route', 'read'],
  ['OPTIONS', '/admin/v1/accounts', 'write'],
] as const)('%s %s: %s', (method, path, scope) => {
  expect(scopeOf(method, path)).toBe(scope)
})
