import { statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ADMIN_SOCKET, type Prepared } from '../app.ts'
import { type Clock, errorCode } from '../lib/index.ts'
import { folderFailure } from '../store/index.ts'
import { CommandFailure } from './exit.ts'

/** Calls the admin interface and answers its body. Throws `CommandFailure` with the interface's own words when it refuses. */
export type Client = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<unknown>

/** The admin interface of this process. */
export const adminInside = (handler: Prepared['admin']): Client =>
  adminOver((path, init) => handler.handle(new Request(addressOf(path), init)))

/** The admin interface of the server that runs on this data folder. */
export const adminOnSocket = (dataFolder: string): Client =>
  adminOver(async (path, init) => {
    try {
      return await fetch(addressOf(path), { ...init, ...DIRECT, unix: join(dataFolder, ADMIN_SOCKET) })
    } catch (error) {
      if (UNCONNECTED.has(errorCode(error) ?? ''))
        throw new CommandFailure('the server has just stopped. Nothing was done.')
      throw new CommandFailure(
        `the server ended before it answered (${errorCode(error) ?? ''}): it may have done it or not; look before you repeat the command.`,
      )
    }
  })

const ANSWER_MS_MAX = 5000

/**
 * Whether a server answers on the data folder's socket. Throws `CommandFailure` when one is there and does not answer within 5 s, `FolderUnusable`
 * when this user may not ask.
 */
export async function isServed(dataFolder: string, clock: Clock): Promise<boolean> {
  const path = join(dataFolder, ADMIN_SOCKET)
  if (!isThere(path, dataFolder)) return false
  const deadline = new AbortController()
  const cancel = clock.after(ANSWER_MS_MAX, () => deadline.abort())
  try {
    const { ok } = await fetch(addressOf('/slots'), { ...DIRECT, unix: path, signal: deadline.signal })
    return ok
  } catch (error) {
    if (deadline.signal.aborted)
      throw new CommandFailure(`the server on ${dataFolder} does not answer. Nothing was done.`)
    if (errorCode(error) === 'EACCES') throw folderFailure(dataFolder, error)
    return false // nobody listens: it was killed and its socket stayed behind
  } finally {
    cancel()
  }
}

/** Another user's server is none that does not run. */
function isThere(path: string, dataFolder: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (errorCode(error) === 'EACCES') throw folderFailure(dataFolder, error)
    return false
  }
}

export interface PublicAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** One chat request through the public route, as any client sends it. */
export async function askPublicly(baseUrl: string, secret: string, body: unknown): Promise<PublicAnswer> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    ...DIRECT,
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** To this machine, whatever proxy the environment names; and what a backup takes is more than the five minutes that Bun's fetch waits by itself. */
const DIRECT = { proxy: false, timeout: false } as const

const UNCONNECTED: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])
const errorBody = z.object({ error: z.object({ message: z.string(), code: z.string().optional() }) })

const addressOf = (path: string): string => `http://admin/admin/v1${path}`

function adminOver(send: (path: string, init: RequestInit) => Promise<Response>): Client {
  return async (method, path, body, headers = {}) => {
    const json =
      body === undefined
        ? { headers }
        : { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
    const response = await send(path, { method, ...json })
    const answer = await readJson(response)
    if (response.ok) return answer
    const refusal = errorBody.safeParse(answer)
    throw new CommandFailure(refusal.success ? refusalText(refusal.data) : `the server answered ${response.status}`)
  }
}

/** What callers are told of a ledger that cannot be written is not enough for who has to mend it. */
const refusalText = ({ error: { message, code } }: z.infer<typeof errorBody>): string =>
  code === 'storage_unavailable' ? `${message} 'anyrouter doctor' looks for the reason.` : message

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailure(`the server answered ${response.status} with something that is no JSON`)
  }
}
