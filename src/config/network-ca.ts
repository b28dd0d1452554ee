import type { NetworkSettings } from '../domain/index.ts'
import type { ConfigInput } from './config-schema.ts'
import { type Place, problemIn } from './parse-yaml.ts'
import type { Problem } from './problem.ts'
import { certificatesFromFile } from './secrets.ts'
import type { Surroundings } from './surroundings.ts'

/** Reads the authorities that are trusted at customers' places. */
export async function readNetworkCa(
  { ca_file: path }: ConfigInput['network'],
  {
    place,
    folder,
    surroundings,
  }: { readonly place: Place; readonly folder: string; readonly surroundings: Surroundings },
): Promise<{ readonly caFile: NetworkSettings['caFile']; readonly problems: readonly Problem[] }> {
  if (path === undefined) return { caFile: null, problems: [] }
  const found = await certificatesFromFile(path, folder, surroundings)
  if (found.kind === 'found') return { caFile: { path, pem: found.text }, problems: [] }
  return { caFile: null, problems: [problemIn(place, ['network', 'ca_file'], found.reason, found.suggestion)] }
}
