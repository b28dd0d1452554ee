import { GatewayError } from '../../domain/index.ts'
import { nearest } from '../../lib/index.ts'

/** The refusal of an id that there is not. It names the nearest, where all are known. */
export function unknownName(what: string, id: string, known: Iterable<string> = [], param = what): GatewayError {
  const [near] = nearest(id, [...known], 1)
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`
  return new GatewayError('not_found', `There is no ${what} '${id.slice(0, 200)}'.${hint}`, { param })
}
