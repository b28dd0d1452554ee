import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { GatewayError, type Policy, type PolicyChange } from '../../domain/index.ts'
import { defined } from '../../lib/index.ts'
import { optionalOrNull } from '../document/open-object.ts'
import type { AdminDeps } from './deps.ts'
import { providerIds } from './find-provider.ts'

/** What a body asks for, checked; nothing when it names no field of a policy. Throws 400 with the field. */
export function policyOf(deps: Pick<AdminDeps, 'catalogue'>, body: PolicyBody): { readonly policy?: PolicyChange } {
  const { allow_foreign: allowForeign, regions, ownerships, zdr, allow_training: allowTraining, only, ignore } = body
  const policy: PolicyChange = defined({
    allowForeign,
    regions,
    ownerships,
    zeroRetention: zdr,
    allowTraining,
    only: known(deps, 'only', only),
    ignore: known(deps, 'ignore', ignore),
  })
  return Object.keys(policy).length === 0 ? {} : { policy }
}

const list = <Schema extends TSchema>(item: Schema, description: string) =>
  optionalOrNull(Type.Array(item, { minItems: 1, maxItems: 1000 }), description)

const ID = Type.String({ minLength: 1, maxLength: 64 })
const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'

/** A policy as fields of a body: absent leaves it as it is, null takes the bound away. */
export const policyFields = {
  allow_foreign: Type.Optional(
    Type.Boolean({
      description: 'Whether requests may leave `routing.home_regions`. Account and key must both allow it.',
    }),
  ),
  regions: list(Type.String({ pattern: NAME }), 'Where backends may run; `ca` stands for `ca-central` too; null: any.'),
  ownerships: list(Type.String({ pattern: '^[a-z]{2}$' }), 'Countries that may own the provider; null: any.'),
  zdr: Type.Optional(Type.Boolean({ description: 'Providers alone that say they keep nothing.' })),
  allow_training: Type.Optional(
    Type.Boolean({ description: 'Whether providers may be used that train on what they are sent, or do not say.' }),
  ),
  only: list(ID, 'Ids of providers and backends: these alone; null: any.'),
  ignore: list(ID, 'Ids of providers and backends: none of these; null: none is left out.'),
}

const policyBody = Type.Object(policyFields)
type PolicyBody = Static<typeof policyBody>

/** A policy as it is shown. */
export const policyView = (policy: Policy): object => ({
  allow_foreign: policy.allowForeign,
  regions: policy.regions,
  ownerships: policy.ownerships,
  zdr: policy.zeroRetention,
  allow_training: policy.allowTraining,
  only: policy.only,
  ignore: policy.ignore,
})

/** A slip of the pen would leave out nobody, or everybody. */
function known<Names extends readonly string[] | null | undefined>(
  { catalogue }: Pick<AdminDeps, 'catalogue'>,
  param: string,
  names: Names,
): Names {
  if (names == null) return names
  const { backends } = catalogue()
  const providers = providerIds({ backends })
  const unknown = names.find((name) => !backends.has(name) && !providers.has(name))
  if (unknown === undefined) return names
  throw new GatewayError('invalid_request', `'${param}': there is no provider or backend '${unknown}'.`, { param })
}
