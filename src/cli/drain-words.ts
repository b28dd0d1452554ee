import type { DrainReport } from '../app.ts'
import { counted } from './counted.ts'
import type { Terminal } from './terminal.ts'

const CLEAR_LINE = '\r\x1b[K'

/** Tells how a server stops, in one line; on a terminal the number in progress goes down. */
export class DrainWords {
  readonly #terminal: Terminal
  readonly #startedUs: number

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#startedUs = terminal.clock.monotonicUs()
  }

  begin(inFlight: number): void {
    this.#terminal.out(`${this.#terminal.isOutTty ? '\n' : ''}${progressWords(inFlight)}`)
  }

  progress(inFlight: number): void {
    if (this.#terminal.isOutTty) this.#terminal.out(`${CLEAR_LINE}${progressWords(inFlight)}`)
  }

  end(report: DrainReport): void {
    const tookUs = this.#terminal.clock.monotonicUs() - this.#startedUs
    this.#terminal.out(` done (${seconds(tookUs)}). ${reportWords(report)}\n`)
    for (const fault of report.verify.faults) this.#terminal.error(`ledger: ${fault}\n`)
  }
}

const progressWords = (inFlight: number): string =>
  `draining: ${inFlight === 0 ? 'nothing' : counted(inFlight, 'request')} in progress …`

/** "2 requests settled, ledger verified, 0 open holds." */
export function reportWords({ settled, verify }: DrainReport): string {
  const verdict = verify.clean ? 'ledger verified' : `ledger NOT clean (${counted(verify.faults.length, 'fault')})`
  return `${counted(settled, 'request')} settled, ${verdict}, ${counted(verify.openHolds, 'open hold')}.`
}

/** Microseconds for people: "0.8 s". */
const seconds = (us: number): string => `${(us / 1_000_000).toFixed(1)} s`
