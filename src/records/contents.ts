import type { SealedContent, Writer } from '../store/index.ts'
import { type Vault, VaultError } from '../vault/index.ts'

/** Prompts and answers of accounts that asked for it: sealed with the master key, each for its request alone. */
export interface Contents {
  /** Seals and writes in a turn of its own: the caller has its answer by then. Best effort. */
  keep(content: Content): void
  /** What was kept, opened. Throws `VaultError` when it was sealed with another master key. */
  open(sealed: SealedContent): Content
  /** The same, sealed with the newest key; null when it is already, or when no key opens it. */
  resealed(sealed: SealedContent): SealedContent | null
}

export interface Content {
  readonly requestId: string
  readonly accountId: string
  readonly prompt: string
  readonly answer: string | null
  readonly isCut: boolean
}

export interface ContentsOptions {
  readonly writer: Pick<Writer, 'keepContent'>
  readonly vault: Pick<Vault, 'seal' | 'open' | 'isOutdated'>
}

/** Makes the room of contents over a writer. */
export function createContents({ writer, vault }: ContentsOptions): Contents {
  return {
    keep(content) {
      setImmediate(() => writer.keepContent(changed(content, (text, owner) => vault.seal(text, owner))))
    },
    open: (sealed) => changed(sealed, (text, owner) => vault.open(text, owner)),
    resealed(sealed) {
      const { prompt, answer } = sealed
      if (!vault.isOutdated(prompt) && (answer === null || !vault.isOutdated(answer))) return null
      return resealedOrNull(() => changed(sealed, (text, owner) => vault.seal(vault.open(text, owner), owner)))
    },
  }
}

function resealedOrNull(reseal: () => SealedContent): SealedContent | null {
  try {
    return reseal()
  } catch (error) {
    if (error instanceof VaultError) return null
    throw error
  }
}

/** Each part belongs to its place: an answer never opens as a prompt. */
function changed(content: Content, change: (text: string, owner: Parameters<Vault['seal']>[1]) => string): Content {
  const { requestId, accountId, prompt, answer } = content
  const of = (part: string) => ({ rowId: `${requestId} ${part}`, accountId })
  return { ...content, prompt: change(prompt, of('prompt')), answer: answer && change(answer, of('answer')) }
}
