import type { DialectName, Model } from './catalogue.ts'

/** Whether a model can be asked in a dialect: some backend that speaks it serves the model now, as far as the catalogue says. */
export const isSpokenTo = ({ offers }: Model, dialect: DialectName): boolean =>
  offers.some(({ enabled, backend }) => enabled && backend.enabled && backend.dialects.includes(dialect))
