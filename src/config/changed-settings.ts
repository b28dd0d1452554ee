import { isDeepStrictEqual } from 'node:util'
import type { Config } from './load-config.ts'

/** The settings, by their names in the file (`routing.queue_ms`), that differ; the catalogue is not among them. */
export function changedSettings(before: Config, after: Config): string[] {
  return sections.flatMap((section) => {
    const old = new Map<string, unknown>(Object.entries(before[section]))
    return Object.entries(after[section])
      .filter(([name, value]) => !isDeepStrictEqual(old.get(name), value))
      .map(([name]) => `${section}.${inYaml(name)}`)
  })
}

type Section = Exclude<keyof Config, 'catalogue' | 'presets' | 'settings'>

/** As a record, so that none can be forgotten. */
const SECTIONS: Readonly<Record<Section, true>> = {
  server: true,
  routing: true,
  money: true,
  agents: true,
  limits: true,
  replies: true,
  quarantine: true,
  sticky: true,
  records: true,
  network: true,
  metrics: true,
}
const sections = Object.keys(SECTIONS) as Section[]

/** The sections are the file's own, in the program's spelling. */
const inYaml = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
