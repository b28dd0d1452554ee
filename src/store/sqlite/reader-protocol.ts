import type { Call } from '../../threads/index.ts'
import type { Reader } from '../contract.ts'

/** The calls of the reader thread: `open` first, then each method of `Reader` with its arguments as a list; `close` last. */
export type ReaderCalls = { readonly open: Call<OpenReader, null>; readonly close: Call<null, null> } & {
  readonly [N in keyof Reader]: Call<Parameters<Reader[N]>, Awaited<ReturnType<Reader[N]>> | ReturnType<Reader[N]>>
}

export interface OpenReader {
  readonly dataFolder: string
}
