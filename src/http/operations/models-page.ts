import { GatewayError } from '../../domain/index.ts'

/** What the query goes by. */
interface ShownModel {
  readonly id: string
  readonly supported_parameters: readonly string[]
  readonly architecture: { readonly output_modalities: readonly string[] }
}

/** A list of models as OpenRouter answers it. */
export interface ModelsPage<Shown> {
  readonly data: readonly Shown[]
  readonly links: { readonly next: string | null }
  /** Of all that fit, on every page. */
  readonly total_count: number
}

/**
 * What the query of OpenRouter's list asks for: `supported_parameters` (all of them) and `output_modalities` (one of them), separated by commas, `q`
 * in the name, then `offset` and `limit`. Other parameters are ignored. Throws 400 for a number that is none.
 */
export function modelsPage<Shown extends ShownModel>(models: readonly Shown[], url: URL): ModelsPage<Shown> {
  const { searchParams: query } = url
  const parameters = listIn(query, 'supported_parameters')
  const modalities = listIn(query, 'output_modalities')
  const word = query.get('q')?.toLowerCase() ?? ''
  const fitting = models.filter(
    ({ id, supported_parameters: known, architecture: { output_modalities: made } }) =>
      parameters.every((name) => known.includes(name)) &&
      (modalities.length === 0 || modalities.includes('all') || modalities.some((name) => made.includes(name))) &&
      id.toLowerCase().includes(word),
  )
  const offset = numberIn(query, 'offset') ?? 0
  const limit = numberIn(query, 'limit')
  const end = limit === null ? fitting.length : Math.min(fitting.length, offset + limit)
  return {
    data: fitting.slice(offset, end),
    links: { next: end < fitting.length && limit !== 0 ? nextOf(url, end) : null },
    total_count: fitting.length,
  }
}

const listIn = (query: URLSearchParams, name: string): readonly string[] =>
  (query.get(name) ?? '').split(',').filter((word) => word !== '')

function numberIn(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null) return null
  if (!/^\d{1,9}$/.test(text))
    throw new GatewayError('invalid_request', `Invalid '${name}': expected a whole number.`, { param: name })
  return Number(text)
}

function nextOf({ pathname, searchParams }: URL, offset: number): string {
  const query = new URLSearchParams(searchParams)
  query.set('offset', String(offset))
  return `${pathname}?${query}`
}
