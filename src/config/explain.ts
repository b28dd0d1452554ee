import { z } from 'zod'
import { nearest } from '../lib/index.ts'
import { configSchema } from './config-schema.ts'
import { findPlace, type ParsedDocument, type Path, problemAt, valueAt } from './parse-yaml.ts'
import { clip, type Problem } from './problem.ts'

type Issue = z.core.$ZodIssue
type Told = Pick<Problem, 'reason' | 'suggestion'>

/** What zod found, as problems with their places: reason and suggestion in words, in the order of the file. */
export function explain(issues: readonly Issue[], document: ParsedDocument): Problem[] {
  // A rule about a whole section says nothing new when a key of that section is unknown.
  const withUnknown = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(pathText))
  const told = issues.filter((issue) => issue.code !== 'custom' || !withUnknown.has(pathText(issue)))
  const problems = told.flatMap(branchMeant).flatMap((issue) => explainIssue(issue, document))
  return problems.sort((one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0))
}

const pathText = ({ path }: Issue): string => path.join('.')

/** Of several forms that a value may have, the one it was meant to have tells more than that it has none of them. */
function branchMeant(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const isOther = ({ code, path }: Issue) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
  const [meant, ...more] = issue.errors.filter((errors) => !errors.some(isOther))
  if (meant === undefined || more.length > 0) return [issue]
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(branchMeant)
}

function explainIssue(issue: Issue, document: ParsedDocument): Problem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, KEYS_TOLD_MAX).map((key) => unknownKey(path, key, document))
  const { place, rest } = findPlace(document.place, path)
  const value = valueAt(document.value, path)
  const [missing] = rest
  if (value === undefined && missing !== undefined && rest.length === 1 && typeof missing === 'string') {
    return [problemAt(path, place.key, `'${missing}' is missing`, missingSuggestion(issue))]
  }
  const told = tell(issue, value)
  // A scalar that was read as a list of one has no place of its own inside.
  return [problemAt(path.slice(0, path.length - rest.length), place.value, told.reason, told.suggestion)]
}

const KEYS_TOLD_MAX = 100 // of one section
const SECRET_KEYS = /^(secret|key|api_?key|token|value|inline|password|bearer)$/i

function unknownKey(path: Path, key: string, document: ParsedDocument): Problem {
  const at = findPlace(document.place, [...path, key]).place.key
  if (path[2] === 'credentials' && SECRET_KEYS.test(key)) {
    const reason = `'${key}': a secret is never written into this file, which is copied, shown and kept in version control`
    return problemAt([...path, key], at, reason, 'Name where it is: env: NAME_OF_VARIABLE, or file: /path/of/secret')
  }
  const known = keysOf(schemaAt(configSchema, path))
  const [near] = nearest(key, known, 1)
  const suggestion = near === undefined ? `Known here: ${known.join(', ')}` : `Did you mean '${near}'?`
  return problemAt([...path, key], at, `'${clip(key)}' is not a setting of this version`, suggestion)
}

function tell(issue: Issue, value: unknown): Told {
  switch (issue.code) {
    case 'invalid_type': {
      // Messages of the schema's own are better than what a type can say.
      const own = issue.message.startsWith('Invalid input') ? null : issue.message
      return {
        reason: own ?? `must be ${TYPES[issue.expected] ?? issue.expected}, not ${kindOf(value)}`,
        suggestion: quoting(issue, value),
      }
    }
    case 'invalid_value':
      return oneOf(issue.values.map(String), value)
    case 'invalid_key':
      return { reason: `this name ${issue.issues[0]?.message ?? 'cannot be used'}`, suggestion: null }
    case 'too_small':
      return {
        reason:
          issue.origin === 'array' || issue.origin === 'string'
            ? emptiness(issue)
            : `must be at least ${issue.minimum}`,
        suggestion: null,
      }
    case 'too_big':
      return {
        reason: `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`,
        suggestion: null,
      }
    default:
      return { reason: issue.message, suggestion: null }
  }
}

const emptiness = (issue: Issue): string =>
  issue.message.startsWith('Too small') ? 'must not be empty' : issue.message

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a section with keys',
  record: 'a section with keys',
}

/** What a value is, never the value itself: it may be a secret. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number with decimals'
  if (typeof value === 'string') return 'text'
  return typeof value === 'boolean' ? 'true or false' : 'a section with keys'
}

function quoting(issue: Issue & { code: 'invalid_type' }, value: unknown): string | null {
  if (issue.expected === 'string' && ['number', 'boolean'].includes(typeof value)) return 'Put it into quotes.'
  if (issue.expected === 'number' && typeof value === 'string' && /^\d+$/.test(value)) return 'Write it without quotes.'
  if (issue.expected === 'array' && typeof value !== 'object') return 'Write it as a list: [first, second]'
  return null
}

function oneOf(allowed: readonly string[], value: unknown): Told {
  const [near] = typeof value === 'string' ? nearest(value, allowed, 1) : []
  const reason =
    allowed.length === 1 ? `this version knows only '${allowed[0]}' here` : `must be one of ${allowed.join(', ')}`
  return { reason, suggestion: near === undefined ? null : `Did you mean '${near}'?` }
}

const missingSuggestion = (issue: Issue): string | null =>
  issue.code === 'invalid_type' && issue.expected === 'array' ? 'Write it as a list.' : null

/** The part of the schema that stands at a path, its wrappers (defaults, optional, pipes) taken off. */
function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | null {
  const bare = withKeys(unwrap(schema))
  const [step, ...rest] = path
  if (step === undefined) return bare
  let inner: z.core.$ZodType | undefined
  if (bare instanceof z.ZodObject) inner = bare.shape[step]
  else if (bare instanceof z.ZodRecord) inner = bare.valueType
  else if (bare instanceof z.ZodArray) inner = bare.element
  return inner === undefined ? null : schemaAt(inner, rest)
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrap(schema.unwrap())
  }
  if (!(schema instanceof z.ZodPipe)) return schema
  return unwrap(schema.out instanceof z.ZodTransform ? schema.in : schema.out)
}

/** Of several forms, the one that has keys. */
function withKeys(schema: z.core.$ZodType): z.core.$ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema
  const options = schema.options.map((option) => unwrap(option))
  return options.find((option) => option instanceof z.ZodObject || option instanceof z.ZodArray) ?? schema
}

const keysOf = (schema: z.core.$ZodType | null): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
