import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'

const names = (description: string) => fields.orNull(Type.Array(Type.String()), description)

/** The fields of a policy as `policyView` shows it. */
export const policyProperties = {
  allow_foreign: Type.Boolean({ description: 'Whether requests may leave the home regions, where there are some.' }),
  regions: names('Where backends may run; null: anywhere.'),
  ownerships: names('Countries that may own the provider; null: any.'),
  zdr: Type.Boolean({ description: 'Providers alone that say they keep nothing.' }),
  allow_training: Type.Boolean({ description: 'Whether providers may be used that train, or do not say.' }),
  only: names('Ids of providers and backends: these alone; null: all.'),
  ignore: names('Ids of providers and backends: none of these; null: none is left out.'),
}

/** The example of it: as a new account or key has it. */
export const POLICY = {
  allow_foreign: false,
  regions: null,
  ownerships: null,
  zdr: false,
  allow_training: true,
  only: null,
  ignore: null,
}
