import { run } from '../../pipeline/index.ts'
import { imagesGenerationsDoc } from './images-generations-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /images/generations`. */
export const imagesGenerations: Operation = {
  name: 'images.generations',
  method: 'POST',
  path: '/images/generations',
  doc: imagesGenerationsDoc,
  serve: run,
}
