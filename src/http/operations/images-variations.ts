import { run } from '../../pipeline/index.ts'
import { imagesVariationsDoc } from './images-variations-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /images/variations`. */
export const imagesVariations: Operation = {
  name: 'images.variations',
  method: 'POST',
  path: '/images/variations',
  doc: imagesVariationsDoc,
  serve: run,
}
