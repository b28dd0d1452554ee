export { buildCatalogue, type SnapshotStamp } from './build-catalogue.ts'
export { type CatalogueChanges, diffCatalogues, type NameChanges } from './diff-catalogues.ts'
export { findModel, findRouter, nearNames } from './find-model.ts'
export { offersOf } from './offers-of.ts'
export {
  openPriceTable,
  type PricedModel,
  type PriceFinding,
  type PriceTable,
  type ServedModel,
} from './price-table.ts'
export { routersOf } from './routers-of.ts'
export { usableBackends } from './usable-backends.ts'
