export { affordable } from './affordable.ts'
export { asGatewayError, errorHeaders, idHeaders, publicError } from './answer.ts'
export type { Arrival } from './call.ts'
export type { House, PipelineSettings, Traffic } from './house.ts'
export { identify } from './identify.ts'
export { runBatch } from './kept/run-batch.ts'
export { type KeptOperation, runKept } from './kept/run-kept.ts'
export { runKeptList } from './kept/run-kept-list.ts'
export { runUpload } from './kept/run-upload.ts'
export { insufficient, meansOf } from './means.ts'
export { openKey } from './open-key.ts'
export { prepare } from './prepare.ts'
export { decidedBy, RankBook, ranksView } from './rank-book.ts'
export { secretsOf } from './receive.ts'
export {
  boundsOf,
  captureWorld,
  mayUseModel,
  mayUseOffer,
  refuseEmptyPlan,
  route,
  unknownModel,
  type Wish,
  wishOf,
} from './route/index.ts'
export { run } from './run.ts'
export { runListing } from './run-listing.ts'
export { createTraffic, type OpenTraffic } from './traffic.ts'
