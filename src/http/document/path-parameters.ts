import { SAMPLE_MODEL } from './sample-model.ts'

/** The parameters of all paths, by name. */
export const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  account: { description: 'Id or name of an account.', example: 'demo' },
  key: { description: 'Id of a key.', example: 'key_0199a0b1c2d3e4f5061728394a5b6c7d' },
  model: { description: 'Id or alias of a model; its slashes plain or as `%2F`.', example: SAMPLE_MODEL },
  request: { description: '`x-request-id` of an answer.', example: 'req_0199a0b1c2d3e4f5061728394a5b6c7d' },
}
