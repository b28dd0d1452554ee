import { run } from '../../pipeline/index.ts'
import { embeddingsDoc } from './embeddings-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /embeddings`. */
export const embeddings: Operation = {
  name: 'embeddings',
  method: 'POST',
  path: '/embeddings',
  doc: embeddingsDoc,
  serve: run,
}
