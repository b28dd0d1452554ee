export type { Account, AccountContext, AccountKind, Funds, Key, Principal } from './account.ts'
export { type AccountTerms, type AccountTermsChange, changedAccountTerms, NO_TERMS } from './account-terms.ts'
export { type BudgetDays, budgetDays, budgetEndMs, dayOf } from './budget-days.ts'
export {
  type Backend,
  type BackendId,
  type BackendTls,
  backendOfOffer,
  type Catalogue,
  type CatalogueParts,
  type ClientCertificate,
  type DataHandling,
  DIALECTS,
  type DialectName,
  isSpokenTo,
  type Model,
  type ModelId,
  modelOfOffer,
  type Offer,
  type OperationName,
  type OperatorCredential,
  type OutboundProxy,
  offerId,
  type PingTerms,
  type Provider,
  ROUTER_NEEDS,
  ROUTER_ORDERS,
  type Router,
  type RouterNeed,
  type RouterTerms,
  SERVED_OPERATIONS,
  type TimeLimits,
} from './catalogue.ts'
export { type Blame, type Consequence, consequenceOf } from './consequence.ts'
export { type ErrorCode, type ErrorDetails, errorCodes, errorRow, GatewayError, internalWords } from './errors.ts'
export { etagOf } from './etag.ts'
export {
  type Checkpoint,
  type CoveredOffer,
  chargeFor,
  coverName,
  type EndReason,
  estimateOf,
  type Hold,
  type Settlement,
  withAsked,
} from './hold.ts'
export {
  type BudgetName,
  budgetsOrNull,
  changedTerms,
  type KeyBudgets,
  type KeyLimits,
  type KeyTerms,
  type KeyTermsChange,
  limitsOrNull,
  NO_LIMITS,
} from './key-terms.ts'
export type { Departure, ObservedSlice, Stickiness, StickyRow } from './learned.ts'
export { type ManagementKey, SCOPES, type Scope } from './management-key.ts'
export { add, formatUsd, larger, type Money, money, negate, parseUsd, smaller, subtract, ZERO } from './money.ts'
export {
  type AttemptRecord,
  type CancelledBy,
  type ConnectionUse,
  type ExchangeTiming,
  errorMarks,
  type FailedReason,
  hadNoRoom,
  lacksIt,
  type Outcome,
  type ProviderError,
  type UnsentReason,
} from './outcome.ts'
export {
  type ByokFallback,
  type CredentialFault,
  type FoundFault,
  isOwn,
  isOwnPlace,
  type OwnCredential,
  type OwnSecret,
  ownPlaceId,
} from './own-credential.ts'
export {
  DEFAULT_POLICY,
  isHome,
  isInRegions,
  type MergedPolicy,
  mergePolicies,
  narrowed,
  type Policy,
  type PolicyChange,
  UNBOUND_POLICY,
} from './policy.ts'
export {
  CAPABILITIES,
  type Capability,
  type MaxPrice,
  NO_PREFERENCES,
  PARAMETERS_OF,
  type Percentiles,
  type Preferences,
  QUANTIZATIONS,
  SORTS,
  type Sort,
  type SortBy,
} from './preferences.ts'
export {
  costOf,
  dearestInput,
  dearestMedia,
  dearestOutput,
  isFree,
  type Price,
  type PriceTier,
  type PriceTime,
  parsePricePerMillion,
  perMillion,
  priceAt,
  type Rates,
  rateOf,
  ratesAt,
} from './price.ts'
export { isNamed, slugOf } from './provider-slug.ts'
export {
  type CredentialCause,
  type FailureCause,
  type FoundCauses,
  NO_CAUSES,
  type OperatorCause,
  type QuarantineRow,
  type ThrottleCause,
} from './quarantine.ts'
export type { Candidate, RoutePlan, Skip } from './route-plan.ts'
export type {
  AgentSettings,
  LimitSettings,
  ListenAddress,
  MetricsSettings,
  MoneySettings,
  NetworkSettings,
  QuarantineSettings,
  RecordSettings,
  ReplySettings,
  RoutingSettings,
  ServerSettings,
  StickySettings,
} from './settings.ts'
export type { KeptPlace, StoredKind, StoredThing } from './stored-thing.ts'
export {
  completionTokens,
  FURTHER_KINDS,
  type FurtherUnits,
  furtherUnits,
  NO_USAGE,
  promptTokens,
  USAGE_KINDS,
  type Usage,
  type UsageSource,
} from './usage.ts'
