import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Named<Value> = Readonly<Record<string, Value>>

export interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Named<Schema>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly examples?: readonly unknown[]
}

export interface MediaDoc {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Named<{ readonly value: unknown }>
}

export interface AnswerDoc {
  readonly description: string
  readonly headers?: Named<unknown>
  readonly content: Named<MediaDoc>
}

export interface ParameterDoc {
  readonly $ref?: string
  readonly in?: string
  readonly name?: string
  readonly required?: boolean
  readonly description?: string
  readonly example?: string
  readonly schema?: Schema
}

export interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly Named<readonly string[]>[]
  readonly parameters?: readonly ParameterDoc[]
  readonly requestBody?: { readonly content: Named<MediaDoc> }
  readonly responses: Named<AnswerDoc>
}

export interface OpenapiDocument {
  readonly openapi: string
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Named<Named<OperationObject>>
  readonly components: { readonly schemas: Named<Schema> }
}

/** An operation with where it is. */
export interface Documented {
  /** e.g. `GET /v1/models`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: OperationObject
}

/** All operations of a document. */
export const operationsOf = ({ paths }: OpenapiDocument): Documented[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const upper = method.toUpperCase()
      return { name: `${upper} ${path}`, method: upper, path, operation }
    }),
  )

/** The examples of a body or an answer, by name. */
export const examplesOf = ({ example, examples }: MediaDoc): [name: string, value: unknown][] => [
  ...(example === undefined ? [] : [['example', example] satisfies [string, unknown]]),
  ...Object.entries(examples ?? {}).map(([name, { value }]): [string, unknown] => [name, value]),
]

const FILE_FIELDS: ReadonlySet<string> = new Set(['file', 'image', 'mask'])

/** The fields of an example as a form, with a small file where one belongs. */
export function formOf(fields: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.append(name, FILE_FIELDS.has(name) ? new File(['some bytes'], 'a.bin') : String(value))
  return form
}

export interface Checker {
  /** What is wrong with a value, in words; nothing when it is as the schema says. */
  faults(schema: Schema, value: unknown): string[]
  /** Fields that the schema does not name, and does not leave open. */
  unnamed(schema: Schema, value: unknown): string[]
}

/** Checks values against schemas of a document. */
export function checkerOf({ components }: OpenapiDocument): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  const checks = new Map<string, ValidateFunction>() // by schema: most answers are errors, of one
  const faults = (schema: Schema, value: unknown): string[] => {
    const key = JSON.stringify(schema)
    const check = checks.get(key) ?? ajv.compile({ ...schema, components })
    checks.set(key, check)
    return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
  }
  const unnamed = (schema: Schema, value: unknown, at = ''): string[] => {
    const target = schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? '']
    if (target === undefined || value === null || typeof value !== 'object') return []
    if (target.anyOf !== undefined) {
      const fitting = target.anyOf.find((one) => faults(one, value).length === 0)
      return fitting === undefined ? [] : unnamed(fitting, value, at)
    }
    const { properties = {}, additionalProperties, items } = target
    if (Array.isArray(value)) return items === undefined ? [] : value.flatMap((item) => unnamed(items, item, `${at}[]`))
    return Object.entries(value).flatMap(([name, field]) => {
      const known = properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
      if (known !== undefined) return unnamed(known, field, `${at}.${name}`)
      return additionalProperties === true || target.properties === undefined ? [] : [`${at}.${name}`]
    })
  }
  return { faults, unnamed }
}
