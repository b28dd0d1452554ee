/** One call: what it takes and what it answers. A thread's calls are an interface of these. */
export type Call<A, R> = (argument: A) => R

export type CallsOf<C> = { readonly [N in keyof C]: Call<never, unknown> }
export type ArgumentOf<F> = F extends (argument: infer A) => unknown ? A : never
export type AnswerOf<F> = F extends (argument: never) => infer R ? R : never

/** To a thread. */
export interface CallMessage {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** From a thread: the end of a call, or an event that nobody asked for. */
export type ThreadMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: ThreadError }
  | { readonly kind: 'event'; readonly event: unknown }

/** An error as it crosses threads: classes do not survive, names and codes do. */
export interface ThreadError {
  readonly name: string
  readonly message: string
  readonly code: string | null
}
