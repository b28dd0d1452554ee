import type { Reader, Writer } from '../store/index.ts'
import type { Contents } from './contents.ts'

export interface ResealingContents {
  readonly reader: Pick<Reader, 'contents'>
  readonly writer: Pick<Writer, 'resealContents'>
  readonly contents: Pick<Contents, 'resealed'>
}

const PAGE = 16 // each of up to a megabyte

/** Seals with the newest key what an older one sealed of prompts and answers. What is kept meanwhile is sealed with it anyway. */
export async function resealContents({ reader, writer, contents }: ResealingContents): Promise<void> {
  await writer.resealContents([]) // behind what was sealed before
  let after: string | null = null
  for (;;) {
    const page = await reader.contents({ limit: PAGE, after })
    const resealed = page.map((sealed) => contents.resealed(sealed)).filter((sealed) => sealed !== null)
    if (resealed.length > 0) await writer.resealContents(resealed)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.requestId
  }
}
