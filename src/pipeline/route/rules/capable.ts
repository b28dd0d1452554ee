import type { Capability } from '../../../domain/index.ts'
import type { Filter } from '../rule.ts'

/** Drops offers that are known not to be able to do what the request needs. Of whom nothing is known may try. */
export const capable: Filter = {
  kind: 'filter',
  name: 'capable',
  wish: 'capabilities',
  applies: ({ request }) => request?.needs !== undefined,
  skip({ offer: { capabilities } }, _, { request }) {
    const lacking = request?.needs?.find((need) => capabilities?.includes(need) === false)
    return lacking === undefined ? null : { reason: REASONS[lacking] }
  },
}

const REASONS: Readonly<Record<Capability, string>> = {
  tools: 'the model cannot use tools',
  json_schema: 'the model cannot keep to a JSON schema',
  images: 'the model cannot see images',
  audio: 'the model cannot hear audio',
  files: 'the model cannot read files',
  video: 'the model cannot see videos',
}
