import type { Clock } from '../../lib/index.ts'
import type { Store } from '../../store/index.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** How far a provider's clock is ahead of ours; a Date header counts whole seconds. */
export interface ClockReading {
  readonly backend: string
  readonly aheadMs: number
}

const about = { check: 'clock', subject: null } as const
const OFF_MS = 5000
const WRONG_MS = 60_000
const ADVICE =
  "Let the machine keep time ('timedatectl set-ntp true'), then restart the server, whose time never goes back: expiry of keys, budgets by the day, quarantine and certificates go by it."

/** Whether the machine's clock is right: against the newest record on disk, and against the time that providers tell (the median of them). */
export async function clockFindings(
  readings: readonly ClockReading[],
  { clock, store }: { readonly clock: Clock; readonly store: Pick<Store, 'reader'> | null },
): Promise<Finding[]> {
  const [newest] = (await store?.reader.records({ limit: 1, after: null })) ?? []
  const backMs = newest === undefined ? 0 : newest.startedAtMs - clock.wallMs()
  if (backMs > OFF_MS)
    return [fail(about, `set back: the newest record is from ${seconds(backMs)} in the future`, ADVICE)]
  const sorted = readings.map(({ aheadMs }) => aheadMs).sort((one, other) => one - other)
  const aheadMs = sorted[Math.floor(sorted.length / 2)]
  if (aheadMs === undefined) return [ok(about, 'no provider told the time, so it was compared with records alone')]
  const off = Math.abs(aheadMs)
  if (off <= OFF_MS) return [ok(about, `agrees with what providers tell (${readings.length})`)]
  const message = `${seconds(off)} ${aheadMs > 0 ? 'behind' : 'ahead of'} what providers tell`
  return [off > WRONG_MS ? fail(about, message, ADVICE) : warn(about, message, ADVICE)]
}

const seconds = (durationMs: number): string => `${Math.round(durationMs / 1000)} s`
