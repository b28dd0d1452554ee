import type { Clock } from '../lib/index.ts'
import { exposition, processGauges, watchLoopLag } from '../telemetry/index.ts'
import { gauges } from './gauges.ts'
import type { Rooms } from './open-rooms.ts'

/** All metrics, from the start of the app on. */
export interface MetricsText {
  /** As they are scraped: counted so far, and read from the rooms now. */
  text(): string
  stop(): void
}

/** Begins to measure what is measured by itself. */
export function metricsText(rooms: Pick<Rooms, 'house' | 'store'>, clock: Clock, version: string): MetricsText {
  const loopLag = watchLoopLag(clock)
  const processNow = processGauges(clock, version)
  return {
    text: () =>
      exposition([...rooms.house.metrics.families(), ...gauges(rooms), ...loopLag.families(), ...processNow()]),
    stop: loopLag.stop,
  }
}
