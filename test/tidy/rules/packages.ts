import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  type Node,
} from 'typescript/unstable/ast'
import { packageOf } from '../imports.ts'
import type { Rule } from '../rule.ts'

const SOCKETS = ['src/agents/', 'src/demo/', 'src/cli/client']

/** Where each package may be imported. A new package needs a row. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  elysia: ['src/http/'],
  '@elysiajs/openapi': ['src/http/'],
  '@sinclair/typebox': ['src/http/', 'src/demo/'],
  'drizzle-orm': ['src/store/sqlite/'],
  'bun:sqlite': ['src/store/sqlite/'],
  zod: ['src/config/', 'src/cli/', 'src/store/'],
  yaml: ['src/config/'],
  commander: ['src/cli/'],
  '@clack/prompts': ['src/cli/'],
  'prom-client': ['src/telemetry/'],
  '@pydantic/genai-prices': ['src/catalogue/'],
  'ipaddr.js': ['src/lib/'],
  'swagger-ui-dist': ['src/http/'],
  '@noble/ciphers': ['src/vault/'],
}

const SOCKET_MODULES = ['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns'].flatMap((name) => [
  name,
  `node:${name}`,
])

/** What opens a connection or listens, by the words it is called with. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  fetch: SOCKETS,
  'Bun.fetch': SOCKETS,
  'globalThis.fetch': SOCKETS,
  'Bun.connect': SOCKETS,
  'Bun.udpSocket': SOCKETS,
  WebSocket: SOCKETS,
  EventSource: SOCKETS,
  'Bun.serve': ['src/http/', 'src/demo/'],
  'Bun.listen': ['src/http/', 'src/demo/'],
  'Bun.sql': ['src/store/'],
  'Bun.redis': ['src/store/'],
}

/** 3: which package, and which door to the network, belongs to which room. */
export const packages: Rule = {
  name: 'packages',
  *check({ code }) {
    for (const file of code) {
      if (!file.path.startsWith('src/')) continue
      const isOutside = (allowed: readonly string[]) => !allowed.some((start) => file.path.startsWith(start))
      for (const { specifier, path, line } of file.imports) {
        if (path !== null) continue
        const name = packageOf(specifier)
        const allowed = SOCKET_MODULES.includes(name.split('/')[0] ?? '') ? SOCKETS : PACKAGES[name]
        if (allowed === undefined) {
          if (!/^(?:node:|bun$|bun:)/.test(name)) {
            yield { file: file.path, line, reason: `${name} has no row in test/tidy/rules/packages.ts` }
          }
        } else if (isOutside(allowed)) yield { file: file.path, line, reason: `${name} belongs to ${list(allowed)}` }
      }
      for (const node of file.nodes) {
        const name = calledName(node)
        const allowed = name === null ? undefined : CALLS[name]
        if (allowed !== undefined && isOutside(allowed)) {
          yield { file: file.path, line: file.line(node), reason: `${name} belongs to ${list(allowed)}` }
        }
      }
    }
  },
}

const list = (folders: readonly string[]): string => folders.join(', ')

/** `fetch` for `fetch(…)`, `Bun.serve` for `Bun.serve(…)`, `WebSocket` for `new WebSocket(…)`. */
function calledName(node: Node): string | null {
  if (!isCallExpression(node) && !isNewExpression(node)) return null
  const callee = node.expression
  if (isIdentifier(callee)) return callee.text
  if (!isPropertyAccessExpression(callee) || !isIdentifier(callee.expression)) return null
  return `${callee.expression.text}.${callee.name.text}`
}
