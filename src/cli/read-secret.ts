import { secretFromVariable } from '../config/index.ts'
import { errorCode } from '../lib/index.ts'
import { CommandFailure } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** Where a secret is read from: a variable, a file (`-`: stdin). */
export interface SecretSource {
  readonly env?: string
  readonly file?: string
}

const BYTES_MAX = 64 * 1024

/**
 * Reads a secret from where it is said to be, without the white space around it; never from an argument, which every user of the machine
 * can see. Throws `CommandFailure`, which does not repeat it.
 */
export async function readSecret({ env, file = '-' }: SecretSource, terminal: Terminal): Promise<string> {
  if (env !== undefined) return fromVariable(env, terminal)
  const secret = await fromFile(file, terminal)
  if (secret.trim() === '')
    throw new CommandFailure(`there is no secret in ${file === '-' ? 'stdin' : file}. Nothing was done.`)
  return secret.trim()
}

function fromVariable(name: string, { surroundings }: Terminal): string {
  const found = secretFromVariable(name, surroundings)
  if (found.kind === 'found') return found.text
  throw new CommandFailure(`${found.reason}. Nothing was done.`)
}

async function fromFile(file: string, terminal: Terminal): Promise<string> {
  if (file === '-' && terminal.isInTty) terminal.error('The secret (it shows as you type), then Enter and Ctrl-D:\n')
  try {
    const bytes =
      file === '-' ? await terminal.readIn(BYTES_MAX) : await terminal.surroundings.readFile(file, BYTES_MAX)
    return new TextDecoder().decode(bytes)
  } catch (error) {
    const code = errorCode(error) ?? 'it cannot be read'
    throw new CommandFailure(
      `the secret cannot be read from ${file === '-' ? 'stdin' : file} (${code}). Nothing was done.`,
    )
  }
}
