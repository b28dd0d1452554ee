import type { ObservedSlice, StickyRow } from '../domain/index.ts'
import { SESSIONS_MAX } from '../health/index.ts'
import { type Clock, errorText } from '../lib/index.ts'
import type { Reader } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'

/** What an earlier process learned and the windows still reach. What cannot be read is learned anew: it is no reason not to start. */
export async function readLearned(
  reader: Pick<Reader, 'observed' | 'sticky'>,
  { lifeMs, clock, log }: { readonly lifeMs: number; readonly clock: Clock; readonly log: Pick<Log, 'warn'> },
): Promise<{ readonly observed: readonly ObservedSlice[]; readonly sticky: readonly StickyRow[] }> {
  const nowMs = clock.wallMs()
  try {
    const [observed, sticky] = await Promise.all([reader.observed(nowMs), reader.sticky(nowMs - lifeMs, SESSIONS_MAX)])
    return { observed, sticky }
  } catch (error) {
    log.warn('learned_unreadable', { message: errorText(error) })
    return { observed: [], sticky: [] }
  }
}
