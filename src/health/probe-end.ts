import type { OperatorCredential } from '../domain/index.ts'

/** What became of a question without tokens. */
export type ProbeEnd =
  /** It answered; `credential` is what it was shown. */
  | { readonly kind: 'answered'; readonly status: number; readonly credential: OperatorCredential | null }
  | { readonly kind: 'failed'; readonly message: string; readonly isConnection: boolean }
