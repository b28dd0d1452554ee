import { buildCatalogue } from '../catalogue/index.ts'
import type { Config } from '../config/index.ts'
import type { Catalogue } from '../domain/index.ts'
import type { PipelineSettings } from '../pipeline/index.ts'
import type { HouseOptions } from './options.ts'

/** What a reload replaces, whole: three views of one configuration. */
export interface Snapshot {
  readonly config: Config
  readonly catalogue: Catalogue
  readonly settings: PipelineSettings
}

/** The newest snapshot. Who works on something takes it once and keeps it. */
export interface Live {
  newest(): Snapshot
  replace(snapshot: Snapshot): void
}

/** Holds the snapshot of the configuration that the app starts with. */
export function createLive(options: Pick<HouseOptions, 'config' | 'clock' | 'loopbackOnlySecret'>): Live {
  let newest = snapshotOf(options.config, 1, options)
  return {
    newest: () => newest,
    replace(snapshot) {
      newest = snapshot
    },
  }
}

/** The snapshot of a configuration; `version` counts them from the start. */
export function snapshotOf(
  config: Config,
  version: number,
  { clock, loopbackOnlySecret }: Pick<HouseOptions, 'clock' | 'loopbackOnlySecret'>,
): Snapshot {
  const { routing, money, limits, replies, server } = config
  return {
    config,
    catalogue: buildCatalogue(config.catalogue, { version, createdAtS: Math.floor(clock.wallMs() / 1000) }),
    settings: {
      routing,
      money,
      limits,
      replies,
      bodyBytesMax: server.bodyBytesMax,
      uploadBytesMax: server.uploadBytesMax,
      loopbackOnlySecret,
    },
  }
}
