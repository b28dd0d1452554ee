import { examples } from './examples.ts'
import { SAMPLE_MODEL } from './sample-model.ts'

/** The parameters of all paths, each under the segment before it. */
export const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  'accounts/{account}': { description: 'Id or name of an account.', example: 'demo' },
  'credentials/{credential}': { description: 'Id of a credential.', example: examples.credentialId },
  'backends/{backend}': { description: 'Id of a backend.', example: examples.backend },
  'quarantine/{backend}': { description: 'Id of a backend.', example: examples.backend },
  'keys/{key}': { description: 'Id of a key.', example: examples.keyId },
  'keys/{hash}': { description: 'SHA-256 of the secret of a key, in hex.', example: examples.keyHash },
  'generation/{id}': { description: '`x-generation-id` of an answer.', example: examples.generationId },
  'management-keys/{key}': { description: 'Id of a management key.', example: examples.managementKeyId },
  'models/{model}': { description: 'Id or alias of a model; its slashes plain or as `%2F`.', example: SAMPLE_MODEL },
  'models/{author}': { description: 'What stands before the slash of its id.', example: 'demo' },
  '{author}/{slug}': { description: 'What stands behind it.', example: 'fast' },
  'model/{model}': { description: 'Id or alias of a model, with its slash.', example: SAMPLE_MODEL },
  'batches/{batch}': { description: 'Id of a batch.', example: 'batch_7Q' },
  'files/{file}': { description: 'Id of a file.', example: 'file-7Q' },
  'responses/{response}': { description: 'Id of a stored response.', example: 'resp_7Q' },
  'records/{request}': { description: '`x-request-id` of an answer.', example: examples.requestId },
}
