export { buildCatalogue, type SnapshotStamp } from './build-catalogue.ts'
export { findModel, nearNames } from './find-model.ts'
export { usableBackends } from './usable-backends.ts'
