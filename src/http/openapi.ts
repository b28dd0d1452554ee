import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import type { AnyElysia } from 'elysia'
import { scopeOf } from './admin/scope-of.ts'
import { COMMON_PARTS } from './document/common-parts.ts'
import { hoistSchemas, type Json } from './document/hoist-schemas.ts'
import { PATH_PARAMETERS } from './document/path-parameters.ts'
import { SAMPLE_MODEL, SAMPLE_OF_MESSAGES } from './document/sample-model.ts'
import { TAGS } from './document/tags.ts'

export interface DocumentSource {
  readonly version: string
  /** Their routes become operations, but those whose `detail` says `hide`. */
  readonly apps: readonly AnyElysia[]
  /** Named by the examples in place of `SAMPLE_MODEL`, so that they can be tried as they stand. */
  readonly sampleModel: string
  /** In place of `SAMPLE_OF_MESSAGES`. */
  readonly sampleOfMessages: string
}

/**
 * The OpenAPI 3.1 document of all operations: from the TypeBox schemas of the routes (path, query, body) and from what `operationDoc`
 * says of each (docs/decisions/008). For documentation alone: nothing of it is on a request's way.
 */
export function openapiDocument({ version, apps, sampleModel, sampleOfMessages }: DocumentSource): object {
  const { introduction, components } = COMMON_PARTS
  const schemas: Record<string, Json> = {}
  const named = new Map<unknown, string>([
    [SAMPLE_MODEL, sampleModel],
    [SAMPLE_OF_MESSAGES, sampleOfMessages],
  ])
  const written = JSON.stringify(Object.assign({}, ...apps.map(pathsOf))) // leaves TypeBox's symbols behind
  const paths: Json = JSON.parse(written, (_name, value) => named.get(value) ?? value)
  return {
    openapi: '3.1.1',
    info: { title: 'anyrouter', version, description: introduction },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: hoistSchemas(paths, schemas),
    components: { ...components, schemas },
  }
}

type Route = AnyElysia['routes'][number]

/** The operations of one app by path and method, as the library makes them, with what it has no place for. */
function pathsOf(app: AnyElysia): Readonly<Record<string, unknown>> {
  const routes = app.routes.filter(({ hooks }) => hooks.detail?.hide !== true)
  const readable = Object.create(app, { getGlobalRoutes: { value: () => routes.map(documentable) } })
  const { paths } = toOpenAPISchema(readable, { staticFile: false })
  for (const route of routes) {
    const path = pathOf(route).replaceAll(/:(\w+)/g, '{$1}')
    const item: Readonly<Record<string, Operation>> = Object(paths[path])
    const operation = item[route.method.toLowerCase()]
    if (operation !== undefined) complete(operation, route, path)
  }
  return paths
}

interface Operation {
  parameters?: readonly Parameter[] | undefined
  security?: unknown
  readonly requestBody?: { content: Readonly<Record<string, object>> }
}

interface Parameter {
  readonly in?: string
  readonly name?: string
}

/** What stands for `*` is a model's id. */
const pathOf = ({ path }: Route): string => path.replace(/\*$/, ':model')

/** A route in the library's terms: a body is JSON, whoever parses it. */
const documentable = (route: Route): Route => ({
  ...route,
  path: pathOf(route),
  hooks: { ...route.hooks, parse: [{ fn: 'json' }], detail: { ...route.hooks.detail, parameters: [] } },
})

function complete(operation: Operation, { method, path: routePath, hooks }: Route, path: string): void {
  const described = (parameter: Parameter): Parameter =>
    parameter.in === 'path' ? { ...parameter, ...PATH_PARAMETERS[segmentOf(path, parameter)] } : parameter
  const parameters = [...(operation.parameters ?? []).map(described), ...(hooks.detail?.parameters ?? [])]
  operation.parameters = parameters.length === 0 ? undefined : parameters
  const given: Readonly<Record<string, object>> | undefined = hooks.detail?.requestBody?.content
  if (operation.requestBody !== undefined && given !== undefined) {
    const schema = operation.requestBody.content['application/json']
    const media = Object.entries(given).map(([type, examples]) => [type, { ...schema, ...examples }])
    operation.requestBody.content = Object.fromEntries(media)
  }
  const ways: readonly object[] = hooks.detail?.security ?? []
  const isOfOperators = ways.some((way) => 'managementKey' in way)
  if (isOfOperators) operation.security = [{ managementKey: [scopeOf(method, routePath)] }]
}

/** A parameter of a path with the segment before it, e.g. `accounts/{account}`. */
const segmentOf = (path: string, { name }: Parameter): string => new RegExp(`[^/]+/\\{${name}\\}`).exec(path)?.[0] ?? ''
