import { createSecretKey, type KeyObject } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, type Random } from '../lib/index.ts'

/** The name of the key's file in the data folder. */
export const MASTER_KEY_FILE = 'master.key'

const SIZE_BYTES = 32
const OTHERS = 0o077

/** The master key's file cannot be used; the message says why and what to do, and never what is in it. */
export class MasterKeyError extends Error {
  override name = 'MasterKeyError'
}

/**
 * The key that seals secrets at rest: 32 random bytes in `master.key` of the data folder, which is made (0600) when it is not there. The
 * caller holds the folder's lock. Throws `MasterKeyError` for a file that others may read, of another length, or that cannot be read.
 */
export function openMasterKey(dataFolder: string, random: Random): KeyObject {
  const path = join(dataFolder, MASTER_KEY_FILE)
  const bytes = readKey(path) ?? makeKey(path, dataFolder, random)
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/** Null when there is no such file. */
function readKey(path: string): Uint8Array | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw new MasterKeyError(
      `the master key ${path} cannot be read (${errorCode(error) ?? 'unknown'}): give it to this user, mode 0600.`,
    )
  }
  try {
    const { mode, size } = fstatSync(file)
    if ((mode & OTHERS) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0')
      throw new MasterKeyError(
        `the master key ${path} is open to others (mode ${shown}): run 'chmod 600 ${path}', and think about who may have read it.`,
      )
    }
    const bytes = new Uint8Array(SIZE_BYTES)
    if (size !== SIZE_BYTES || readSync(file, bytes, 0, SIZE_BYTES, 0) !== SIZE_BYTES) {
      throw new MasterKeyError(
        `the master key ${path} is no key: it has ${size} bytes instead of ${SIZE_BYTES}. Put it back from your backup.`,
      )
    }
    return bytes
  } finally {
    closeSync(file)
  }
}

/** Under another name first: a crash leaves the whole file or none. */
function makeKey(path: string, folder: string, random: Random): Uint8Array {
  const bytes = random.bytes(SIZE_BYTES)
  const unfinished = `${path}.new`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    writeSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  syncFolder(folder) // else a power cut could take the name back while what was sealed with it stays
  return bytes
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
