import { type Arrival, type House, type KeptOperation, runKept } from '../../pipeline/index.ts'
import type { Operation } from './operation.ts'
import { pathSegment } from './path-segment.ts'
import { responsesDoc } from './responses-doc.ts'

/** `GET /responses/{id}`: what is stored, or with `stream=true` its events, maybe from one on. */
export const responsesShow: Operation = {
  name: 'responses.show',
  method: 'GET',
  path: '/responses/:response',
  doc: responsesDoc.show,
  serve: (house, arrival) => ask(house, arrival, { method: 'GET' }),
}

/** `DELETE /responses/{id}`. */
export const responsesDelete: Operation = {
  name: 'responses.delete',
  method: 'DELETE',
  path: '/responses/:response',
  doc: responsesDoc.delete,
  serve: (house, arrival) => ask(house, arrival, { method: 'DELETE', effect: 'forget' }),
}

/** `POST /responses/{id}/cancel`: of one that is made in the background. */
export const responsesCancel: Operation = {
  name: 'responses.cancel',
  method: 'POST',
  path: '/responses/:response/cancel',
  doc: responsesDoc.cancel,
  serve: (house, arrival) => ask(house, arrival, { method: 'POST' }, '/cancel'),
}

/** `GET /responses/{id}/input_items`. */
export const responsesInputItems: Operation = {
  name: 'responses.input_items',
  method: 'GET',
  path: '/responses/:response/input_items',
  doc: responsesDoc.inputItems,
  serve: (house, arrival) => ask(house, arrival, { method: 'GET' }, '/input_items'),
}

function ask(
  house: House,
  arrival: Arrival,
  operation: Pick<KeptOperation, 'method' | 'effect'>,
  below = '',
): Promise<Response> {
  const { value: id, query } = pathSegment(arrival.request, 'responses')
  const isStream = operation.method === 'GET' && below === '' && new URLSearchParams(query).get('stream') === 'true'
  return runKept(house, arrival, {
    kind: 'response',
    id,
    target: `/responses/${encodeURIComponent(id)}${below}${query}`,
    answer: isStream ? 'events' : 'document',
    ...operation,
  })
}
