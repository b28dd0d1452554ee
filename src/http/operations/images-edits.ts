import { run } from '../../pipeline/index.ts'
import { imagesEditsDoc } from './images-edits-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /images/edits`. */
export const imagesEdits: Operation = {
  name: 'images.edits',
  method: 'POST',
  path: '/images/edits',
  doc: imagesEditsDoc,
  serve: run,
}
