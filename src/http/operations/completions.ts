import { run } from '../../pipeline/index.ts'
import { completionsDoc } from './completions-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /completions`. */
export const completions: Operation = {
  name: 'completions',
  method: 'POST',
  path: '/completions',
  doc: completionsDoc,
  serve: run,
}
