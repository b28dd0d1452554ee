import { type StoredName, tokensBeyondUsual } from '../dialects/index.ts'
import { type AccountContext, GatewayError, type KeptPlace, type StoredThing } from '../domain/index.ts'
import type { House } from './house.ts'
import { notStored } from './kept/not-stored.ts'

/** Where a request must go for what it names. */
export interface KeptFor {
  /** Where that is kept; null: it names nothing that was made through the gateway. */
  readonly place: KeptPlace | null
  /** The field that names something unknown here: it may be another's, so only a credential of the account's own may be shown with it. Null: none does. */
  readonly foreign: string | null
  /** Tokens of what it goes on from, as far as its provider told them, and of files beyond those that every file is reckoned for: the model reads them. */
  readonly tokens: number
}

const NAMES_MAX = 1000

/**
 * Looks up what a request names. Throws 400 for what the account has nothing of, unless it brings a credential of its own, whose provider may know
 * it; and for things that different backends keep.
 */
export async function findKept(
  { stored }: Pick<House, 'stored'>,
  { account, own }: Pick<AccountContext, 'account' | 'own'>,
  names: readonly StoredName[],
): Promise<KeptFor> {
  let place: KeptPlace | null = null
  let foreign: string | null = null
  let tokens = 0
  if (names.length > NAMES_MAX)
    throw new GatewayError('invalid_request', `The request names more than ${NAMES_MAX} things that a provider keeps.`)
  const found = names.map(({ kind, id }) => (kind === 'foreign' ? null : stored.find(account.id, id)))
  const things = await Promise.all(found) // none waits for another
  for (const [at, name] of names.entries()) {
    const thing = things[at] ?? null
    tokens += tokensOf(thing, name)
    if (thing === null) {
      if (own.length === 0) throw unknownThing(name)
      foreign ??= name.param
    } else if (place === null) place = thing
    else if (!isSame(place, thing))
      throw new GatewayError(
        'invalid_request',
        `'${name.param}' and what the request names before are kept by different backends.`,
        {
          param: name.param,
        },
      )
  }
  return { place, foreign, tokens }
}

function tokensOf(thing: StoredThing | null, { param }: StoredName): number {
  const told = thing?.told ?? null
  if (thing === null || told === null) return 0
  const { tokens, bytes, filename } = told
  if (thing.kind === 'file')
    return typeof bytes === 'number' && !param.startsWith('tools') && !PICTURE.test(String(filename))
      ? tokensBeyondUsual(bytes)
      : 0
  return thing.kind !== 'batch' && typeof tokens === 'number' ? tokens : 0
}

/** What such a file takes of the model has nothing to do with its bytes; nor has one that is given to a tool. */
const PICTURE = /\.(png|jpe?g|gif|webp)$/i

const isSame = (one: KeptPlace, other: KeptPlace): boolean =>
  one.backend === other.backend && one.isOwn === other.isOwn && (!one.isOwn || one.credential === other.credential)

function unknownThing({ kind, id, param }: StoredName): GatewayError {
  if (kind === 'foreign')
    return new GatewayError(
      'not_stored',
      `'${param}' names what was not made through this gateway: it is served with an own credential of your account alone.`,
      { param, status: 400 },
    )
  const details = { param, status: 400 }
  return kind === 'response'
    ? notStored({ kind, id }, { ...details, publicCode: 'previous_response_not_found' }, 'Previous response')
    : notStored({ kind, id }, details)
}
