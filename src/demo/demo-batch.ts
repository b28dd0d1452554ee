import { isRecord } from '../lib/index.ts'

/** Answers one request of a batch; null: it is none that can be answered. */
export type BatchRun = (path: string, body: Readonly<Record<string, unknown>>) => unknown

/** What a batch comes to: a line for each line of its input. */
export function demoBatch(input: string, run: BatchRun): { readonly output: string; readonly counts: object } {
  const lines = input.split('\n').filter((line) => line.trim() !== '')
  const results = lines.map((line, at) => resultOf(line, at, run))
  const failed = results.filter(({ response }) => response.status_code !== 200).length
  const output = results.map((result) => `${JSON.stringify(result)}\n`).join('')
  return { output, counts: { total: lines.length, completed: lines.length - failed, failed } }
}

function resultOf(line: string, at: number, run: BatchRun) {
  const asked = parsed(line)
  const answer = isRecord(asked) && isRecord(asked.body) ? run(String(asked.url), asked.body) : null
  const customId = isRecord(asked) ? asked.custom_id : null
  const body = answer ?? { error: { message: 'This request cannot be answered.', type: 'invalid_request_error' } }
  return {
    id: `batch_req_${at}`,
    custom_id: customId,
    response: { status_code: answer === null ? 400 : 200, body },
    error: null,
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
