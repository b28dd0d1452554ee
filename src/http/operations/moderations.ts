import { run } from '../../pipeline/index.ts'
import { moderationsDoc } from './moderations-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /moderations`. */
export const moderations: Operation = {
  name: 'moderations',
  method: 'POST',
  path: '/moderations',
  doc: moderationsDoc,
  serve: run,
}
