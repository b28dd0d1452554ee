export { buildCatalogue, type SnapshotStamp } from './build-catalogue.ts'
export { type CatalogueChanges, diffCatalogues, type NameChanges } from './diff-catalogues.ts'
export { findModel, nearNames } from './find-model.ts'
export {
  openPriceTable,
  type PricedModel,
  type PriceFinding,
  type PriceTable,
  type ServedModel,
} from './price-table.ts'
export { offersOf } from './offers-of.ts'
export { usableBackends } from './usable-backends.ts'
