import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { SCOPES } from '../domain/index.ts'
import type { Client } from './client.ts'
import type { Terminal } from './terminal.ts'

/** What the first start makes; its secrets are told this once. */
export interface FirstKeys {
  readonly account: string
  readonly apiKey: string
  readonly managementKey: string
  /** Where they were written, when there is no terminal to tell them to. */
  readonly file: string | null
}

const FILE_NAME = 'first-keys.txt'
const ACCOUNT = 'default'

const list = z.object({ data: z.array(z.unknown()) })
const secretOf = z.object({ secret: z.string() })

/**
 * In a data folder without accounts and management keys: makes an unmetered account with a key, and a management key that may do
 * everything. Without a terminal the secrets go into a file that only its owner reads, never to where a log collects them. Null in a
 * folder that has been used.
 */
export async function firstStart(
  admin: Client,
  dataFolder: string,
  { isOutTty }: Pick<Terminal, 'isOutTty'>,
): Promise<FirstKeys | null> {
  for (const path of ['/accounts', '/management-keys']) {
    if (list.parse(await admin('GET', `${path}?limit=1`)).data.length > 0) return null
  }
  await admin('POST', '/accounts', { name: ACCOUNT, kind: 'unmetered' })
  const apiKey = secretOf.parse(await admin('POST', '/keys', { account: ACCOUNT, name: 'first' })).secret
  const wish = { name: 'first', scopes: [...SCOPES] }
  const managementKey = secretOf.parse(await admin('POST', '/management-keys', wish)).secret
  const keys = { account: ACCOUNT, apiKey, managementKey }
  return { ...keys, file: isOutTty ? null : writeKeys(resolve(dataFolder, FILE_NAME), keys) }
}

const API_KEY = 'API key: '

function writeKeys(path: string, { apiKey, managementKey }: Pick<FirstKeys, 'apiKey' | 'managementKey'>): string {
  const lines = [
    '# Made at the first start and kept nowhere else: move them to where you keep secrets, then remove this file.',
    `${API_KEY}${apiKey}`,
    `management key: ${managementKey}`,
  ]
  rmSync(path, { force: true }) // the rest of an older installation; its permissions are unknown
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' })
  return path
}

/** The API key as a shell command gives it: itself, or read from the file. */
export const keyForShell = ({ apiKey, file }: FirstKeys): string =>
  file === null ? apiKey : `$(sed -n 's/^${API_KEY}//p' ${quoted(file)})`

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
