import { EXIT } from './exit.ts'
import type { Terminal } from './terminal.ts'

export interface StopSignal {
  /** Resolves at the first signal. */
  readonly first: Promise<void>
  /** From now on signals do again what they do by themselves. */
  release(): void
}

/** npm passes a Ctrl-C on that the terminal has sent already: the same wish, twice. A person is slower. */
const ECHO_US = 100_000

/** Waits for SIGINT or SIGTERM (`withHangUp`: or the end of the terminal). A second one ends the process at once. */
export function awaitStop(terminal: Terminal, withHangUp: boolean): StopSignal {
  const { promise: first, resolve } = Promise.withResolvers<void>()
  let firstUs: number | null = null
  const release = terminal.onSignals(['SIGINT', 'SIGTERM', ...(withHangUp ? (['SIGHUP'] as const) : [])], () => {
    const nowUs = terminal.clock.monotonicUs()
    if (firstUs !== null && nowUs - firstUs > ECHO_US) {
      terminal.error('\nstopped at once\n')
      terminal.exit(EXIT.interrupted)
    }
    firstUs ??= nowUs
    resolve()
  })
  return { first, release }
}
