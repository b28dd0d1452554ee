import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileStamp } from '../../lib/index.ts'
import { rollBack } from './connection.ts'
import { copyDatabase, syncNameOf } from './copy-database.ts'
import { describeError } from './sqlite-error.ts'

/** The database cannot be brought to the version of this program. Nothing of it was changed. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

export interface MigrateOptions {
  readonly db: Database
  /** The database's file; copies of it are made beside it. */
  readonly path: string
  /** Where the numbered files are: `0001-name.sql`, `0002-name.sql`, … */
  readonly folder: string
  readonly wallMs: number
  /** Told before a database that has something is copied and changed, which may take minutes, and when that is done. */
  readonly tell?: TellMigration | undefined
}

export type TellMigration = (
  event: 'migrating' | 'migrated',
  fields: { readonly from: number; readonly to: number; readonly copy?: string },
) => void

export interface Migrated {
  readonly from: number
  readonly to: number
  /** The copy made before the first change; null when there was nothing to keep. */
  readonly copy: string | null
}

interface Migration {
  readonly number: number
  readonly file: string
  readonly sql: string
  readonly hash: string
}

const FILE_PATTERN = /^(\d{4})-[a-z0-9-]+\.sql$/

/**
 * Applies what is missing, in order, each file in a transaction of its own. What was applied is known by number and hash: a file
 * changed afterwards, one that came late, a gap, or a database of a newer program is a `MigrationError`.
 */
export function migrate({ db, path, folder, wallMs, tell }: MigrateOptions): Migrated {
  const migrations = readMigrations(folder)
  const from = checkApplied(db, path, migrations)
  const missing = migrations.slice(from)
  if (missing.length === 0) return { from, to: from, copy: null }
  const to = migrations.length
  const isFilled = !isEmpty(db)
  if (isFilled) tell?.('migrating', { from, to })
  const copy = isFilled ? copyBefore(path, from, wallMs) : null
  // A migration may rebuild a table that others refer to; the pragma has no effect inside a transaction.
  db.run('PRAGMA foreign_keys = OFF')
  try {
    for (const migration of missing) applyMigration(db, path, migration, wallMs)
  } finally {
    db.run('PRAGMA foreign_keys = ON')
  }
  if (copy !== null) tell?.('migrated', { from, to, copy })
  return { from, to, copy }
}

/** Throws `MigrationError` unless the database is at this program's version. */
export function checkVersion(db: Database, path: string, folder: string): void {
  const migrations = readMigrations(folder)
  const version = checkApplied(db, path, migrations)
  if (version === migrations.length) return
  throw new MigrationError(
    `${path} is at version ${version}, this anyrouter is at ${migrations.length}: restore it, which brings a copy of it there`,
  )
}

function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files.sort().map((file, at) => {
    const number = Number(FILE_PATTERN.exec(file)?.[1] ?? Number.NaN)
    if (number !== at + 1) throw new MigrationError(`migrations are numbered from 0001 without a gap: ${file}`)
    const sql = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')
    return { number, file, sql, hash: createHash('sha256').update(sql).digest('hex') }
  })
}

/** Compares what the database says was applied with the files; answers how many were. */
function checkApplied(db: Database, path: string, migrations: readonly Migration[]): number {
  const version = db.prepare<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
  const hasTable = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'`).get() !== null
  const applied = hasTable
    ? db.prepare<{ number: number; file: string; hash: string }, []>('SELECT * FROM migration ORDER BY number').all()
    : []
  if (applied.length !== version) {
    throw new MigrationError(`${path} is at version ${version}, but lists ${applied.length} applied migrations`)
  }
  if (version > migrations.length) {
    throw new MigrationError(
      `${path} is at version ${version}: a newer anyrouter wrote it (this one knows ${migrations.length}). ` +
        'Start that one, or put back the copy from before it',
    )
  }
  for (const [at, { number, file, hash }] of applied.entries()) {
    const migration = migrations[at]
    if (migration?.number !== number || migration.hash !== hash) {
      throw new MigrationError(
        `${path}: migration ${number} was applied as ${file}, and is another file now (${migration?.file})`,
      )
    }
  }
  return version
}

const isEmpty = (db: Database): boolean =>
  db.prepare(`SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' LIMIT 1`).get() === null

const COPIES_KEPT = 3

/**
 * A copy beside the database: `ledger.before-0013-20260701T120000123Z.db`, named by the version that is about to come and the time. It has its name
 * when it is whole. One of the same version is replaced: it was made before a migration that failed, and changed nothing.
 */
function copyBefore(path: string, version: number, wallMs: number): string {
  const stem = `${path.replace(/\.db$/, '')}.before-`
  const ofVersion = `${stem}${String(version + 1).padStart(4, '0')}`
  const copy = `${ofVersion}-${fileStamp(wallMs)}.db`
  const unfinished = `${copy}${UNFINISHED}`
  for (const end of [UNFINISHED, `${UNFINISHED}-journal`]) for (const left of filesOf(stem, end)) rmSync(left) // of one that was broken off
  copyDatabase(path, unfinished)
  renameSync(unfinished, copy)
  syncNameOf(copy)
  const others = filesOf(stem, '.db').filter((other) => other !== copy)
  const replaced = others.filter((other) => other.startsWith(ofVersion))
  const rest = others.filter((other) => !replaced.includes(other))
  for (const old of [...replaced, ...rest.slice(0, Math.max(0, rest.length - COPIES_KEPT + 1))]) rmSync(old)
  return copy
}

const UNFINISHED = '.unfinished'

/** Oldest version first. */
const filesOf = (stem: string, end: string): string[] =>
  readdirSync(dirname(stem))
    .filter((name) => name.startsWith(basename(stem)) && name.endsWith(end))
    .sort()
    .map((name) => join(dirname(stem), name))

function applyMigration(db: Database, path: string, { number, file, sql, hash }: Migration, wallMs: number): void {
  db.run('BEGIN IMMEDIATE')
  try {
    db.run(sql)
    db.run(`CREATE TABLE IF NOT EXISTS migration (
      number INTEGER PRIMARY KEY, file TEXT NOT NULL, hash TEXT NOT NULL, applied_at_ms INTEGER NOT NULL
    ) STRICT`)
    db.prepare('INSERT INTO migration (number, file, hash, applied_at_ms) VALUES (?, ?, ?, ?)').run(
      number,
      file,
      hash,
      wallMs,
    )
    db.run(`PRAGMA user_version = ${number}`)
    const orphan = db.prepare<{ table: string }, []>('PRAGMA foreign_key_check').get()
    if (orphan !== null) throw new Error(`rows of ${orphan.table} refer to nothing`)
    db.run('COMMIT')
  } catch (error) {
    rollBack(db)
    throw new MigrationError(`${path}: migration ${file} failed: ${describeError(error)}`)
  }
}
