/** The groups of the document, in their order, and what each is about. */
export const TAGS = {
  Inference: 'What SDKs call. A key of an account pays; the answer says in `Server-Timing` where the time went.',
  Stored: 'What providers keep for an account: it is asked of the backend that made it, by keys of that account alone.',
  Models: 'What a key may use.',
  OpenRouter: "The same operations in OpenRouter's form: errors with a number, answers with their provider and cost.",
  Health: 'For load balancers and monitors.',
  Accounts: 'Who pays.',
  Keys: 'The secrets that callers show.',
  Credits: 'Money in and out of accounts.',
  Webhooks: 'Where accounts are told of low balances and spent budgets.',
  Ledger: 'Settlements, open holds, and the proof that all of it adds up.',
  'Own credentials': 'What accounts bring themselves to show providers (BYOK).',
  Catalogue: 'What is served, by whom, at what price, and in which order it would be tried.',
  Backends: 'Where requests can be sent, how they are doing, and which are out.',
  Records: 'Requests, their attempts, and where their time went.',
  'Management keys': 'The secrets that programs show the admin API.',
  Audit: 'Who changed what.',
  Configuration: 'What is in effect, and whether another file could be used.',
  Traffic: 'What is in progress now.',
} as const

export type Tag = keyof typeof TAGS
