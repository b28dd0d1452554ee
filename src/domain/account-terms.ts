import type { ByokFallback } from './own-credential.ts'
import { DEFAULT_POLICY, type Policy, type PolicyChange } from './policy.ts'

/** What all keys of an account may do at most: null is without that bound. */
export interface AccountTerms {
  /** Models that its keys may use, by id. */
  readonly models: readonly string[] | null
  readonly policy: Policy
  /** Whether requests go on with the operator's credentials where its own ones fail. */
  readonly byokFallback: ByokFallback
  /** Whether prompts and answers of its requests are kept. */
  readonly storeContent: boolean
}

/** A change of terms: what is absent stays; null takes the bound away. */
export interface AccountTermsChange extends Partial<Omit<AccountTerms, 'policy'>> {
  readonly policy?: PolicyChange
}

/** The terms of a new account. */
export const NO_TERMS: AccountTerms = {
  models: null,
  policy: DEFAULT_POLICY,
  byokFallback: 'shared',
  storeContent: false,
}

/** The terms with a change laid over them. */
export const changedAccountTerms = (old: AccountTerms, change: AccountTermsChange): AccountTerms => ({
  models: change.models === undefined ? old.models : change.models,
  policy: { ...old.policy, ...change.policy },
  byokFallback: change.byokFallback ?? old.byokFallback,
  storeContent: change.storeContent ?? old.storeContent,
})
