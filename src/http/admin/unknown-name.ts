import { GatewayError } from '../../domain/index.ts'
import { nearest } from '../../lib/index.ts'

/** The refusal of an id that is none of these; `what` is the field, too. It names the nearest. */
export function unknownName(what: string, id: string, known: Iterable<string>): GatewayError {
  const [near] = nearest(id, [...known], 1)
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`
  return new GatewayError('not_found', `There is no ${what} '${id.slice(0, 200)}'.${hint}`, { param: what })
}
