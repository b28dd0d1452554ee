import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, fail, ok, warn } from './finding.ts'

const OTHERS = 0o077
const MODE = 0o777

/** A file of the data folder, and what it means when others may read it. */
const PRIVATE_FILES: readonly { readonly name: string; readonly state: 'warn' | 'fail' }[] = [
  { name: 'master.key', state: 'fail' },
  { name: 'admin.sock', state: 'fail' },
  { name: 'ledger.db', state: 'warn' },
  { name: 'records.db', state: 'warn' },
]
const FIRST_KEYS = 'first-keys.txt'

/** Who may read the data folder and what is in it. Rejects when there is no such folder. */
export async function folderFindings(dataFolder: string): Promise<Finding[]> {
  const { mode } = await stat(dataFolder)
  const isOpen = (mode & OTHERS) !== 0
  const folder = { check: 'folder', subject: null } as const
  const shown = `${dataFolder}, mode ${octal(mode)}`
  const findings: Finding[] = [
    isOpen
      ? warn(folder, `${shown}: open to others`, `Run 'chmod 700 ${dataFolder}'.`)
      : ok(folder, `${shown}: for its owner alone`),
  ]
  for (const { name, state } of PRIVATE_FILES) {
    const file = await modeOf(join(dataFolder, name))
    if (file === null || (file & OTHERS) === 0) continue
    if (state === 'warn' && !isOpen) continue // nobody else gets that far
    const about = { check: 'folder', subject: name } as const
    const advice = `Run 'chmod 600 ${join(dataFolder, name)}', and think about who may have read it.`
    findings.push((state === 'fail' ? fail : warn)(about, `mode ${octal(file)}: open to others`, advice))
  }
  if ((await modeOf(join(dataFolder, FIRST_KEYS))) !== null) {
    const about = { check: 'folder', subject: FIRST_KEYS } as const
    findings.push(warn(about, 'keys of the first start are still here, in clear', 'Move them away, delete the file.'))
  }
  return findings
}

const octal = (mode: number): string => (mode & MODE).toString(8).padStart(4, '0')

/** Null when there is no such file. */
async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode
  } catch {
    return null
  }
}
