import {
  isIdentifier,
  isNumericLiteral,
  isParameterDeclaration,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  isUnionTypeNode,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import type { Rule } from '../rule.ts'
import { words } from '../words.ts'

/** Words for a time that say nothing without a unit. */
const TIMES = new Set([
  'timeout',
  'delay',
  'duration',
  'interval',
  'latency',
  'elapsed',
  'ttl',
  'deadline',
  'cooldown',
  'age',
  'period',
  'lifetime',
  'pause',
  'patience',
])
const UNITS = new Set(['ms', 'us', 'ns', 'seconds', 'minutes', 'hours', 'bytes', 'kb', 'mb', 'usd'])
const QUALIFIERS = new Set(['max', 'min', 'least', 'most'])

/** 9: a number's name ends in its unit, then its qualifiers: `timeoutMs`, `sizeBytesMax`, `priceNanoPerMillion`. */
export const units: Rule = {
  name: 'units',
  *check({ code }) {
    for (const file of code) {
      if (!file.path.startsWith('src/')) continue
      for (const node of file.nodes) {
        const name = numericName(node)
        const reason = name === null ? null : reasonAgainst(words(name))
        if (reason !== null) yield { file: file.path, line: file.line(node), reason: `${name}: ${reason}` }
      }
    }
  },
}

function numericName(node: Node): string | null {
  const isDeclaration =
    isVariableDeclaration(node) ||
    isParameterDeclaration(node) ||
    isPropertyDeclaration(node) ||
    isPropertySignatureDeclaration(node)
  if (!isDeclaration || !isIdentifier(node.name)) return null
  const isNumber = isNumberType(node.type) || (node.initializer !== undefined && isNumericLiteral(node.initializer))
  return isNumber ? node.name.text : null
}

function isNumberType(type: Node | undefined): boolean {
  if (type !== undefined && isUnionTypeNode(type)) return type.types.some(isNumberType)
  return type?.kind === SyntaxKind.NumberKeyword
}

function reasonAgainst(parts: readonly string[]): string | null {
  const [first = '', second] = parts
  if (QUALIFIERS.has(first) && second !== undefined) return `"${first}" comes last`
  if (UNITS.has(first) && second !== undefined && !['per', 'left', ...QUALIFIERS].includes(second)) {
    return `"${first}" is the unit and comes last`
  }
  const noun = parts.filter((part) => !QUALIFIERS.has(part)).at(-1) ?? ''
  return TIMES.has(noun) ? `a time without its unit` : null
}
