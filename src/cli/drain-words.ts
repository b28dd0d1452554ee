import type { App, DrainReport } from '../app.ts'
import { counted } from './counted.ts'
import type { Terminal } from './terminal.ts'

const CLEAR_LINE = '\r\x1b[K'

type InProgress = Pick<App['house']['traffic'], 'streams' | 'inFlight'>

/** Tells how a server stops, in one line; on a terminal the number in progress goes down. */
export class DrainWords {
  readonly #terminal: Terminal
  readonly #startedUs: number

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#startedUs = terminal.clock.monotonicUs()
  }

  begin(traffic: InProgress): void {
    this.#terminal.out(`${this.#terminal.isOutTty ? '\n' : ''}${progressWords(traffic)}`)
  }

  progress(traffic: InProgress): void {
    if (this.#terminal.isOutTty) this.#terminal.out(`${CLEAR_LINE}${progressWords(traffic)}`)
  }

  /** What follows is told on a line of its own. */
  breakOff(): void {
    this.#terminal.out('\n')
  }

  end(report: DrainReport): void {
    const tookUs = this.#terminal.clock.monotonicUs() - this.#startedUs
    this.#terminal.out(` done (${seconds(tookUs)}). ${reportWords(report)}\n`)
    for (const fault of report.verify.faults) this.#terminal.error(`ledger: ${fault}\n`)
  }
}

/** "draining: 1 stream in progress …", "draining: 2 streams and 1 request in progress …". */
export function progressWords({ streams, inFlight }: InProgress): string {
  const others = inFlight - streams
  const parts = [streams > 0 ? counted(streams, 'stream') : '', others > 0 ? counted(others, 'request') : '']
  return `draining: ${parts.filter((part) => part !== '').join(' and ') || 'nothing'} in progress …`
}

/** "2 requests settled, ledger verified, 0 open holds." */
export function reportWords({ settled, verify }: DrainReport): string {
  return `${counted(settled, 'request')} settled, ${verdict(verify)}, ${counted(verify.openHolds, 'open hold')}.`
}

function verdict({ clean, faults, isProven }: DrainReport['verify']): string {
  if (!clean) return `ledger NOT clean (${counted(faults.length, 'fault')})`
  return isProven ? 'ledger verified' : 'ledger too large to be verified now'
}

/** Microseconds for people: "0.8 s". */
const seconds = (us: number): string => `${(us / 1_000_000).toFixed(1)} s`
