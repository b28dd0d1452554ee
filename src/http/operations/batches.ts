import { type Arrival, type House, runBatch, runKept, runKeptList } from '../../pipeline/index.ts'
import { urlOf } from '../bad-host.ts'
import { batchesDoc } from './batches-doc.ts'
import type { Operation } from './operation.ts'
import { pathSegment } from './path-segment.ts'

/** `POST /batches`: where its file is. */
export const batches: Operation = {
  name: 'batches',
  method: 'POST',
  path: '/batches',
  doc: batchesDoc.create,
  serve: runBatch,
}

/** `GET /batches`: the account's own. */
export const batchesList: Operation = {
  name: 'batches.list',
  method: 'GET',
  path: '/batches',
  doc: batchesDoc.list,
  serve: (house, arrival) => runKeptList(house, arrival, { kind: 'batch', urlOf, pathOf, isOpen }),
}

/** `GET /batches/{id}`. */
export const batchesShow: Operation = {
  name: 'batches.show',
  method: 'GET',
  path: '/batches/:batch',
  doc: batchesDoc.show,
  serve: (house, arrival) => ask(house, arrival, 'GET', ''),
}

/** `POST /batches/{id}/cancel`. */
export const batchesCancel: Operation = {
  name: 'batches.cancel',
  method: 'POST',
  path: '/batches/:batch/cancel',
  doc: batchesDoc.cancel,
  serve: (house, arrival) => ask(house, arrival, 'POST', '/cancel'),
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled'])
const isOpen = ({ status }: Readonly<Record<string, unknown>>): boolean => !ENDED.has(status)
const pathOf = (id: string): string => `/batches/${encodeURIComponent(id)}`

function ask(house: House, arrival: Arrival, method: 'GET' | 'POST', below: string): Promise<Response> {
  const { value: id } = pathSegment(arrival.request, 'batches')
  return runKept(house, arrival, {
    kind: 'batch',
    id,
    method,
    target: pathOf(id) + below,
    answer: 'document',
    effect: 'told',
  })
}
