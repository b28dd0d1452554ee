import { open } from 'node:fs/promises'
import { errorCode } from '../lib/index.ts'

/** Where the configuration comes from, as an argument: tests give their own. */
export interface Surroundings {
  readonly env: Environment
  /** `unneeded`: nothing is going to be sent, so that a secret which is not there is no problem. */
  readonly secrets?: 'unneeded'
  /** `closed`: no file that a configuration names is opened, and none is a problem. */
  readonly files?: 'closed'
  /** Unix time in ms: some prices change on a day. */
  wallMs(): number
  /** The bytes of a file, at most `bytesMax` of them. Rejects when it cannot be read. */
  readFile(path: string, bytesMax: number): Promise<Uint8Array>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The process's environment, copied: the only place where it is read. */
export const readEnvironment = (): Environment => ({ ...process.env })

/** The machine's own environment and files. */
export const systemSurroundings = (): Surroundings => ({
  env: readEnvironment(),
  wallMs: () => Date.now(),
  readFile: readFileStart,
})

async function readFileStart(path: string, bytesMax: number): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const pieces: Uint8Array[] = []
    let size = 0
    while (size < bytesMax) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(Math.min(65_536, bytesMax - size)))
      if (bytesRead === 0) break
      pieces.push(buffer.subarray(0, bytesRead))
      size += bytesRead
    }
    return Buffer.concat(pieces)
  } finally {
    await file.close()
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read (permission denied)',
  EISDIR: 'it is a folder',
}

/** Why a file could not be read, in words. */
export function readFailure(error: unknown): string {
  const code = errorCode(error)
  return REASONS[code ?? ''] ?? `it cannot be read${code === null ? '' : ` (${code})`}`
}
