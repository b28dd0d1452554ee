import type { Store } from '../../store/index.ts'
import { type BackendsAsked, type BackendsSeen, backendFindings } from './backend-findings.ts'
import { clockFindings } from './clock-findings.ts'
import { databaseFindings } from './database-findings.ts'
import { descriptorFindings } from './descriptor-findings.ts'
import { diskFindings } from './disk-findings.ts'
import type { CheckName, Finding } from './finding.ts'
import { folderFindings } from './folder-findings.ts'
import { guarded } from './guarded.ts'
import { ledgerFindings } from './ledger-findings.ts'
import { usageFindings } from './usage-findings.ts'

export interface Examined extends BackendsAsked {
  /** Null: there is none yet. Its store is null where it is not open: what is in it is not looked at then. */
  readonly folder: { readonly path: string; readonly store: Pick<Store, 'reader' | 'writer'> | null } | null
  readonly requestsInFlightMax: number
}

const MACHINE_MS = 30_000
const STORE_MS = 60_000
/** Of all backends together: each call has a limit of its own. */
const BACKENDS_MS = 120_000

/**
 * Looks at everything that a server stands on: folder, disk, descriptors, database, ledger, clock, backends, credentials. Changes nothing,
 * costs nothing, and every look has its time. What a look finds, and that it could not be made, are findings. Never rejects.
 */
export async function examine(examined: Examined): Promise<Finding[]> {
  const { clock, folder, requestsInFlightMax } = examined
  const within = (check: CheckName, limitMs: number, work: () => Promise<Finding[]>) =>
    guarded({ clock, check, limitMs }, work)
  let seen: BackendsSeen = { findings: [], readings: [] }
  const backends = within('backend', BACKENDS_MS, async () => {
    seen = await backendFindings(examined)
    return [...seen.findings]
  })
  const store = folder?.store ?? null
  const ofFolder =
    folder === null
      ? []
      : [
          within('folder', MACHINE_MS, () => folderFindings(folder.path)),
          within('disk', MACHINE_MS, () => diskFindings(folder.path, clock)),
        ]
  const ofStore =
    store === null
      ? []
      : [
          within('database', STORE_MS, () => databaseFindings(store)),
          within('ledger', STORE_MS, () => ledgerFindings(store)),
          within('usage', STORE_MS, () => usageFindings(store)),
        ]
  const descriptors = within('descriptors', MACHINE_MS, () => descriptorFindings(requestsInFlightMax))
  const time = backends.then(() => within('clock', MACHINE_MS, () => clockFindings(seen.readings, { clock, store })))
  const all = await Promise.all([...ofFolder, ...ofStore, descriptors, time, backends])
  return all.flat().sort((one, other) => ORDER.indexOf(one.check) - ORDER.indexOf(other.check))
}

const ORDER: readonly CheckName[] = [
  'folder',
  'disk',
  'descriptors',
  'database',
  'ledger',
  'usage',
  'clock',
  'backend',
  'credential',
]
