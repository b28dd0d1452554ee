import {
  createOwnCredentials,
  type OwnCredentials,
  type Rotation,
  resealWebhooks,
  rotateMasterKey,
} from '../accounts/index.ts'
import { createOutbound } from '../agents/index.ts'
import type { MoneySettings } from '../domain/index.ts'
import { createHealth } from '../health/index.ts'
import { createTraffic, type House } from '../pipeline/index.ts'
import { resealContents } from '../records/index.ts'
import { type By, openStore } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import { createVault, openMasterKey } from '../vault/index.ts'
import { buildHouse, type Ground } from './build-house.ts'
import { createLive } from './live.ts'
import type { HouseOptions } from './options.ts'
import { readLearned } from './read-learned.ts'

/** The house, and what it stands on. Closing the store ends it. */
export interface Rooms extends Ground {
  readonly house: House
  readonly ownCredentials: OwnCredentials
  rotateMasterKey(by: By): Promise<Rotation>
}

type Crash = MoneySettings['crash'] | null

/**
 * Opens the store of a data folder and builds the house over it; `crash` null closes the holds of a dead process as that one was told.
 * Throws as `openStore` does, with nothing left open.
 */
export async function openRooms(options: HouseOptions, crash: Crash = options.config.money.crash): Promise<Rooms> {
  const { dataFolder, clock, random, log, onFatal, faults } = options
  const live = createLive(options)
  const traffic = createTraffic()
  const withFaults = faults === undefined ? {} : { faults }
  const store = await openStore({ dataFolder, money: { crash }, clock, log, onFatal, ...withFaults })
  try {
    const { reader, writer } = store
    const keys = openMasterKey(dataFolder, random) // under the folder's lock
    const vault = createVault(keys, random)
    const { lifeMs } = options.config.sticky
    const [rows, learned] = await Promise.all([reader.quarantine(), readLearned(reader, { lifeMs, clock, log })])
    const health = createHealth({
      rows,
      ...learned,
      writer,
      clock,
      random,
      log,
      settings: () => live.newest().config.quarantine,
      stickiness: () => live.newest().config.sticky,
      backends: () => live.newest().catalogue.backends,
    })
    const outbound = createOutbound({ clock, settings: () => live.newest().config.network })
    const ground = { store, traffic, live, health, vault, outbound }
    const house = buildHouse(options, ground)
    const onChange = (accountId: string): void => house.accounts.rows.drop(accountId)
    const ownCredentials = createOwnCredentials({ reader, writer, vault, clock, random, onChange })
    await warnOfUnreadable(ownCredentials, log)
    const others = async (): Promise<void> => {
      await resealContents({ reader, writer, contents: house.contents })
      await resealWebhooks({ reader, writer, vault })
    }
    const rotating = { keys, vault, reader, writer, clock, others, onChange }
    return { ...ground, ownCredentials, rotateMasterKey: (by) => rotateMasterKey(rotating, by), house }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The wrong master key is no reason not to start: everything else works, and those credentials can be set anew. */
async function warnOfUnreadable(ownCredentials: OwnCredentials, log: Log): Promise<void> {
  const unreadable = await ownCredentials.countUnreadable()
  if (unreadable === 0) return
  const message =
    'own credentials cannot be opened with this master.key: put the right one back from your backup, or set their secrets anew'
  log.error('own_credentials_unreadable', { unreadable, message })
}
