import { EXIT } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** The signals of a server. */
export interface Signals {
  /** Resolves at the first signal to stop. */
  readonly stop: Promise<void>
  /** Calls back for each wish to read the configuration again, also for one that came before. */
  onReload(callback: () => void): void
  /** From now on signals do again what they do by themselves. */
  release(): void
}

/** npm passes a Ctrl-C on that the terminal has sent already: the same wish, twice. A person is slower. */
const ECHO_US = 100_000

/**
 * SIGINT and SIGTERM stop, a second one ends the process at once. SIGHUP reloads; it stops when the terminal is gone, and always
 * with `hangUpStops`.
 */
export function listenToSignals(terminal: Terminal, hangUpStops: boolean): Signals {
  const { promise: stop, resolve } = Promise.withResolvers<void>()
  let firstUs: number | null = null
  let reload: (() => void) | null = null
  let isWished = false

  function stopWished(): void {
    const nowUs = terminal.clock.monotonicUs()
    if (firstUs !== null && nowUs - firstUs > ECHO_US) {
      terminal.error('\nstopped at once\n')
      terminal.exit(EXIT.interrupted)
    }
    firstUs ??= nowUs
    resolve()
  }

  function reloadWished(): void {
    if (reload === null) isWished = true
    else reload()
  }

  const release = terminal.onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], (signal) => {
    if (signal !== 'SIGHUP') stopWished()
    else if (hangUpStops || terminal.isHungUp())
      resolve() // a shell may send it twice: never at once
    else reloadWished()
  })
  return {
    stop,
    onReload(callback) {
      reload = callback
      if (isWished) callback()
    },
    release,
  }
}
