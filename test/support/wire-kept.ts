import { bearer, type TestGateway } from './gateway.ts'
import type { RawAnswer } from './raw-answer.ts'
import { rawRequest } from './raw-client.ts'

/** One request for what a provider keeps, without a body. */
export const askKept = (gateway: TestGateway, method: string, path: string, key = gateway.key): RawAnswer =>
  rawRequest(gateway.origin, { method, path, headers: bearer({ key }) })

/** The secret of a key of another account, which has credits. */
export async function strangerOf({ admin }: TestGateway): Promise<string> {
  await admin('POST', '/accounts', { name: 'other' })
  await admin('POST', '/credits', { account: 'other', usd: '1.00', kind: 'top_up' })
  return (await admin('POST', '/keys', { account: 'other', name: 'other' })).body.secret
}

const BOUNDARY = 'xXxBoundaryxXx'

/** A form with a file, byte for byte. */
export function fileForm(content: string, purpose = 'batch'): string {
  const part = (head: string, text: string): string =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${text}\r\n`
  return `${part('name="purpose"', purpose)}${part('name="file"; filename="a.jsonl"', content)}--${BOUNDARY}--\r\n`
}

/** Sends a file. */
export const sendFile = (
  gateway: TestGateway,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer =>
  rawRequest(gateway.origin, {
    path: '/v1/files',
    headers: { ...bearer(gateway), 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
    body,
  })

/** A file as its provider describes it. */
export const fileBody = (id: string, fields: object = {}) => ({
  id,
  object: 'file',
  bytes: 3,
  created_at: 7,
  filename: 'a.jsonl',
  purpose: 'batch',
  ...fields,
})

/** What a batch over the file `file-1` is asked for with. */
export const BATCH_ASKED = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' }

/** A batch as its provider describes it. */
export const batchBody = (id: string, fields: object = {}) => ({
  id,
  object: 'batch',
  endpoint: '/v1/chat/completions',
  input_file_id: 'file-1',
  completion_window: '24h',
  status: 'validating',
  created_at: 7,
  output_file_id: null,
  error_file_id: null,
  ...fields,
})
