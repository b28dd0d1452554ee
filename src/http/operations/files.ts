import { type Arrival, type House, type KeptOperation, runKept, runKeptList, runUpload } from '../../pipeline/index.ts'
import { urlOf } from '../bad-host.ts'
import { filesDoc } from './files-doc.ts'
import type { Operation } from './operation.ts'
import { pathSegment } from './path-segment.ts'

/** `POST /files`: a form with the file in it. */
export const files: Operation = {
  name: 'files',
  method: 'POST',
  path: '/files',
  doc: filesDoc.upload,
  serve: runUpload,
}

/** `GET /files`: the account's own. */
export const filesList: Operation = {
  name: 'files.list',
  method: 'GET',
  path: '/files',
  doc: filesDoc.list,
  serve: (house, arrival) => runKeptList(house, arrival, { kind: 'file', urlOf, pathOf, isOpen: () => false }),
}

/** `GET /files/{id}`. */
export const filesShow: Operation = {
  name: 'files.show',
  method: 'GET',
  path: '/files/:file',
  doc: filesDoc.show,
  serve: (house, arrival) => ask(house, arrival, { method: 'GET', answer: 'document', effect: 'told' }),
}

/** `GET /files/{id}/content`. */
export const filesContent: Operation = {
  name: 'files.content',
  method: 'GET',
  path: '/files/:file/content',
  doc: filesDoc.content,
  serve: (house, arrival) => ask(house, arrival, { method: 'GET', answer: 'bytes' }, '/content'),
}

/** `DELETE /files/{id}`. */
export const filesDelete: Operation = {
  name: 'files.delete',
  method: 'DELETE',
  path: '/files/:file',
  doc: filesDoc.delete,
  serve: (house, arrival) => ask(house, arrival, { method: 'DELETE', answer: 'document', effect: 'forget' }),
}

const pathOf = (id: string): string => `/files/${encodeURIComponent(id)}`

function ask(
  house: House,
  arrival: Arrival,
  operation: Pick<KeptOperation, 'method' | 'answer' | 'effect'>,
  below = '',
): Promise<Response> {
  const { value: id } = pathSegment(arrival.request, 'files')
  return runKept(house, arrival, { kind: 'file', id, target: pathOf(id) + below, ...operation })
}
