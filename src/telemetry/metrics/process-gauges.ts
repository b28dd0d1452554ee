import { readdirSync } from 'node:fs'
import type { Clock } from '../../lib/index.ts'
import type { Family } from './exposition.ts'

const US_PER_S = 1_000_000
const MS_PER_S = 1000

/** This process, under the names that all Prometheus clients use, and which version it is. */
export function processGauges(clock: Clock, version: string): () => readonly Family[] {
  const startedS = clock.wallMs() / MS_PER_S
  return () => {
    const { user, system } = process.cpuUsage()
    const descriptors = descriptorsOpen()
    return [
      one('gauge', 'process_resident_memory_bytes', 'Resident memory size in bytes.', process.memoryUsage.rss()),
      one(
        'counter',
        'process_cpu_seconds_total',
        'Total user and system CPU time in seconds.',
        (user + system) / US_PER_S,
      ),
      one('gauge', 'process_start_time_seconds', 'Start time of the process since the epoch in seconds.', startedS),
      ...(descriptors === null
        ? []
        : [one('gauge', 'process_open_fds', 'Number of open file descriptors.', descriptors)]),
      {
        name: 'anyrouter_build_info',
        help: 'Which version runs.',
        type: 'gauge',
        series: [{ labels: { version }, value: 1 }],
      },
    ]
  }
}

/** Null where the system does not tell (only Linux does). */
function descriptorsOpen(): number | null {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

const one = (type: 'gauge' | 'counter', name: string, help: string, value: number): Family => ({
  name,
  help,
  type,
  series: [{ value }],
})
