import { createTraffic, type House } from '../pipeline/index.ts'
import { openStore } from '../store/index.ts'
import { buildHouse, type Ground } from './build-house.ts'
import { createLive } from './live.ts'
import type { HouseOptions } from './options.ts'

/** The house, and what it stands on. Closing the store ends it. */
export interface Rooms extends Ground {
  readonly house: House
}

/** Opens the store of a data folder and builds the house over it. Throws as `openStore` does, with nothing left open. */
export async function openRooms(options: HouseOptions): Promise<Rooms> {
  const { dataFolder, config, clock, log, onFatal, faults } = options
  const live = createLive(options)
  const traffic = createTraffic()
  const withFaults = faults === undefined ? {} : { faults }
  const store = await openStore({ dataFolder, money: config.money, clock, log, onFatal, ...withFaults })
  try {
    return { store, traffic, live, house: buildHouse(options, { store, traffic, live }) }
  } catch (error) {
    await store.close()
    throw error
  }
}
