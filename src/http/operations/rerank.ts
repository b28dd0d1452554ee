import { run } from '../../pipeline/index.ts'
import type { Operation } from './operation.ts'
import { rerankDoc } from './rerank-doc.ts'

/** `POST /rerank`. */
export const rerank: Operation = {
  name: 'rerank',
  method: 'POST',
  path: '/rerank',
  doc: rerankDoc,
  serve: run,
}
