import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LEDGER_FILE } from './sqlite/writer-protocol.ts'

/** Whether a store was begun in this folder. */
export const isDataFolder = (folder: string): boolean => existsSync(join(folder, LEDGER_FILE))
