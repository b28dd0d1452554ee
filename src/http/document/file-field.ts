import { Type } from '@sinclair/typebox'
import type { OperationDoc } from './operation-doc.ts'

/** A file in a form. */
export const fileField = (description: string) => Type.String({ format: 'binary', description })

/** What every operation says that is asked in a form. */
export const IN_A_FORM: Pick<OperationDoc, 'requestType'> = { requestType: 'multipart/form-data' }

/** How a form is passed on, for descriptions. */
export const FORM_RULES =
  'The form goes on to the provider as it comes, with nothing changed but `model`. Put `model` (and `n`) before the files: then a large form is passed on while it is sent, up to `server.upload_bytes_max`; one that says it after its files is read whole first, up to `server.body_bytes_max`. What is larger than 1 MB is sent to one backend only. Wishes about routing are said in headers.'
