/** What can be dialled at one simulated provider. */
export interface Dials {
  /** From the request's arrival to the answer's head. */
  readonly latencyMs: number
  /** Requests in progress at once; one more is answered 429. */
  readonly heldRequestsMax: number
  readonly models: Readonly<Record<string, ModelDials>>
}

/** What can be dialled for one model there. */
export interface ModelDials {
  /** null: as fast as it goes. */
  readonly tokensPerSecond: number | null
  /** 3: the 1st, 4th, 7th … request fails with status 500; 0: none does. */
  readonly failsOneOf: number
  /** What it says after its greeting. */
  readonly talk: string
}
