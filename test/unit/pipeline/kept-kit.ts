import type { OperationName, OwnSecret, StoredThing } from '../../../src/domain/index.ts'
import type { Arrival } from '../../../src/pipeline/index.ts'
import { type ArrivalSpec, asking } from '../../support/ask.ts'
import { ACCOUNT, type HouseDouble, MODEL, SECRET } from '../../support/house.ts'

/** Something that the backend `north` keeps for the account of the house. */
export const thingOf = (fields: Partial<StoredThing> = {}): StoredThing => ({
  accountId: ACCOUNT,
  id: 'resp_1',
  kind: 'response',
  backend: 'north',
  credential: null,
  isOwn: false,
  model: MODEL,
  told: null,
  createdAtMs: 1,
  untilMs: null,
  ...fields,
})

/** Puts things on disk. */
export function seedThings({ store }: HouseDouble, ...things: readonly StoredThing[]): void {
  for (const thing of things) store.tables.stored.set(`${thing.accountId} ${thing.id}`, thing)
}

/** A request for what is kept, as the edge hands it in. */
export function askingFor(
  operation: OperationName,
  path: string,
  spec: Pick<ArrivalSpec, 'body' | 'headers' | 'surface'> & { readonly method?: string } = {},
) {
  const { surface, method = 'GET', body = null, headers = {} } = spec
  const asked = asking({ body: null, ...(surface === undefined ? {} : { surface }) })
  const request = new Request(`http://127.0.0.1${path}`, {
    method,
    headers: headers === null ? {} : { authorization: `Bearer ${SECRET}`, ...headers },
    body: typeof body === 'string' || body === null ? body : JSON.stringify(body),
  })
  const arrival: Arrival = { ...asked.arrival, operation, request }
  return { ...asked, arrival }
}

/** A credential that an account brings. */
export const secretOf = (id: string, provider: string, baseUrl: string | null = null): OwnSecret => ({
  id,
  accountId: ACCOUNT,
  provider,
  baseUrl,
  sealed: `sealed ${id}`,
  secret: `secret of ${id}`,
  fault: null,
})
