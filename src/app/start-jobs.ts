import {
  closeLeaks,
  deliverWebhooks,
  endLots,
  forgetAnswers,
  keepLearned,
  probeBackends,
  proveLedger,
  pruneRecords,
  pruneStored,
  watchClock,
} from '../jobs/index.ts'
import type { Rooms } from './open-rooms.ts'
import type { AppOptions } from './options.ts'

/** Starts what happens by the clock while the server runs. The answer stops all of it, and brings what was learned on its way to the disk. */
export function startJobs({ clock, log }: Pick<AppOptions, 'clock' | 'log'>, rooms: Rooms): () => void {
  const { store, traffic, live, house, vault, outbound } = rooms
  const { expiries, ledger, random } = house
  const { reader, writer } = store
  const stops = [
    closeLeaks({ clock, log, ledger, traffic }),
    watchClock(house),
    pruneRecords({ clock, expiries, log, writer, settings: () => live.newest().config.records }),
    proveLedger({ clock, log, reader, writer }),
    forgetAnswers({ clock, expiries, log, writer }),
    pruneStored({ clock, expiries, log, writer }),
    endLots({ ...house, reader }),
    deliverWebhooks({ clock, expiries, random, log, reader, writer, vault, outbound }),
    probeBackends({ ...house, settings: () => live.newest().config.quarantine }),
    keepLearned({ ...house, writer, settings: () => live.newest().config.sticky }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
