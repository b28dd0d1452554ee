import { createSecretKey, type KeyObject } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, type Random } from '../lib/index.ts'

/** The name of the keys' file in the data folder. */
export const MASTER_KEY_FILE = 'master.key'

/** The keys of a vault, by number: what is sealed names the one that it was sealed with. */
export interface VaultKeys {
  /** What is sealed from now on is sealed with this one. */
  readonly newest: number
  keyOf(number: number): KeyObject | undefined
}

/** The keys of a data folder. While there are several, a rotation is under way: all of them open. */
export interface MasterKeys extends VaultKeys {
  /** Makes a new key, on disk before it seals anything. Nothing when a rotation is under way: that one goes on. */
  begin(): void
  /** Drops all keys but the newest. The caller knows that nothing is sealed with them any more. */
  finish(): void
}

const KEY_BYTES = 32
const OTHERS = 0o077
/** A file of one key that was never rotated is that key alone; any other begins with this, and has a byte of number before each key, the newest last. */
const SEVERAL = Buffer.from('ARKR')
const ENTRY_BYTES = 1 + KEY_BYTES
const FILE_BYTES_MAX = SEVERAL.length + 2 * ENTRY_BYTES
const FIRST = 1
const NUMBER_MAX = 255

/** The master keys' file cannot be used; the message says why and what to do, and never what is in it. */
export class MasterKeyError extends Error {
  override name = 'MasterKeyError'
}

/**
 * The keys that seal secrets at rest, in `master.key` of the data folder, which is made (0600, 32 random bytes) when it is not there. The
 * caller holds the folder's lock. Throws `MasterKeyError` for a file that others may read, of another length, or that cannot be read.
 */
export function openMasterKey(dataFolder: string, random: Random): MasterKeys {
  const path = join(dataFolder, MASTER_KEY_FILE)
  const bytes = readKeys(path) ?? writeKeys(path, dataFolder, random.bytes(KEY_BYTES))
  let keys = entriesOf(bytes)
  bytes.fill(0)
  const replace = (entries: readonly Entry[]): void => {
    const file = fileOf(entries)
    writeKeys(path, dataFolder, file).fill(0)
    keys = entries
  }
  const newest = (): Entry => {
    const last = keys.at(-1)
    if (last === undefined) throw new MasterKeyError(`the master key ${path} is empty.`)
    return last
  }
  return {
    get newest() {
      return newest().number
    },
    keyOf: (number) => keys.find((entry) => entry.number === number)?.key,
    begin() {
      if (keys.length > 1) return
      const { number } = newest()
      replace([...keys, { number: (number % NUMBER_MAX) + 1, key: createSecretKey(random.bytes(KEY_BYTES)) }])
    },
    finish() {
      if (keys.length > 1) replace([newest()])
    },
  }
}

interface Entry {
  readonly number: number
  readonly key: KeyObject
}

function entriesOf(bytes: Uint8Array): readonly Entry[] {
  if (bytes.length === KEY_BYTES) return [{ number: FIRST, key: createSecretKey(bytes) }]
  const entries: Entry[] = []
  for (let at = SEVERAL.length; at < bytes.length; at += ENTRY_BYTES) {
    const key = createSecretKey(bytes.subarray(at + 1, at + ENTRY_BYTES))
    entries.push({ number: bytes[at] ?? 0, key })
  }
  return entries
}

const fileOf = (entries: readonly Entry[]): Uint8Array =>
  Buffer.concat([SEVERAL, ...entries.flatMap(({ number, key }) => [Uint8Array.of(number), key.export()])])

/** Null when there is no such file. */
function readKeys(path: string): Uint8Array | null {
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
    const bytes = new Uint8Array(Math.min(size, FILE_BYTES_MAX))
    if (!isWhole(size) || readSync(file, bytes, 0, size, 0) !== size || !isKnown(bytes)) {
      throw new MasterKeyError(
        `the master key ${path} is no key: it has ${size} bytes instead of ${KEY_BYTES}. Put it back from your backup.`,
      )
    }
    return bytes
  } finally {
    closeSync(file)
  }
}

const isWhole = (size: number): boolean =>
  size === KEY_BYTES || size === SEVERAL.length + ENTRY_BYTES || size === FILE_BYTES_MAX

const isKnown = (bytes: Uint8Array): boolean =>
  bytes.length === KEY_BYTES || SEVERAL.equals(bytes.subarray(0, SEVERAL.length))

/** Under another name first: a crash leaves the whole file as it was, or as it shall be. Answers the bytes. */
function writeKeys(path: string, folder: string, bytes: Uint8Array): Uint8Array {
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
