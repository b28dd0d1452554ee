import { batches, batchesCancel, batchesList, batchesShow } from './batches.ts'
import { files, filesContent, filesDelete, filesList, filesShow } from './files.ts'
import { inference } from './inference.ts'
import { modelOffers, providersList, zdrOffers } from './model-offers.ts'
import { modelsCount, modelsList, modelsOfVectors, modelsUser } from './models-list.ts'
import { modelShow, modelsShow } from './models-show.ts'
import type { Operation } from './operation.ts'
import { responsesCancel, responsesDelete, responsesInputItems, responsesShow } from './responses-show.ts'

export { arrivalOf, type Door, type Operation } from './operation.ts'

/** All public inference operations. */
export const operations: readonly Operation[] = [
  ...inference,
  responsesShow,
  responsesDelete,
  responsesCancel,
  responsesInputItems,
  files,
  filesList,
  filesShow,
  filesContent,
  filesDelete,
  batches,
  batchesList,
  batchesShow,
  batchesCancel,
  modelsList,
  modelsShow,
  modelsCount,
  modelsOfVectors,
  modelsUser,
  modelShow,
  modelOffers,
  zdrOffers,
  providersList,
]
