import { forgetOldest, isRecord } from '../lib/index.ts'
import { errorBody } from './answer-body.ts'
import type { Fields } from './as-chat.ts'
import { type BatchRun, demoBatch } from './demo-batch.ts'

/** What a simulated provider keeps: responses, files, batches. The newest of each, in memory alone. */
export class DemoKeeper {
  readonly #responses = new Map<
    string,
    { readonly response: Fields; readonly input: unknown; readonly events: readonly string[] }
  >()
  readonly #files = new Map<
    string,
    { readonly file: Fields; readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string }
  >()
  readonly #batches = new Map<string, Fields>()
  readonly #run: BatchRun
  readonly #nowS: () => number
  #count = 0

  constructor(run: BatchRun, nowS: () => number) {
    this.#run = run
    this.#nowS = nowS
  }

  hasResponse(id: unknown): boolean {
    return typeof id === 'string' && this.#responses.has(id)
  }

  /** `events`: those that said it, where they did. */
  keepResponse(response: Fields, input: unknown, events: readonly string[]): void {
    put(this.#responses, String(response.id), { response, input, events })
  }

  /** Answers a request for what is kept; null: it is for something else. */
  async answer(request: Request): Promise<Response | null> {
    const url = new URL(request.url)
    const [kind, id, below] = url.pathname.replace(/^\/v1\//, '').split('/')
    if (kind === 'responses' && id !== undefined)
      return this.#response(request.method, decodeURIComponent(id), below, url)
    if (kind === 'files')
      return id === undefined ? this.#upload(request) : this.#file(request.method, decodeURIComponent(id), below)
    if (kind === 'batches')
      return id === undefined ? this.#begin(request) : this.#batch(request.method, decodeURIComponent(id), below)
    return null
  }

  #response(method: string, id: string, below: string | undefined, url: URL): Response {
    const known = this.#responses.get(id)
    if (known === undefined) return notFound(`Response with id '${id}' not found.`)
    if (method === 'DELETE') {
      this.#responses.delete(id)
      return Response.json({ id, object: 'response', deleted: true })
    }
    if (below === 'input_items') return Response.json(listOf(itemsOf(known.input, id)))
    if (below === 'cancel' && known.response.background !== true)
      return Response.json(errorBody('invalid_request_error', null, 'Cannot cancel a synchronous response.'), {
        status: 400,
      })
    if (url.searchParams.get('stream') !== 'true') return Response.json(known.response)
    const after = Number(url.searchParams.get('starting_after') ?? -1)
    const headers = { 'content-type': 'text/event-stream' }
    return new Response(known.events.slice(after + 1).join(''), { headers })
  }

  async #upload(request: Request): Promise<Response> {
    if (request.method !== 'POST') return Response.json(listOf([...this.#files.values()].map(({ file }) => file)))
    const form = await request.formData().catch(() => null)
    const given = form?.get('file')
    if (!(given instanceof Blob))
      return Response.json(errorBody('invalid_request_error', null, "Missing 'file'.", 'file'), { status: 400 })
    const bytes = new Uint8Array(await given.arrayBuffer())
    return Response.json(
      this.#keepFile(bytes, given instanceof File ? given.name : 'file', String(form?.get('purpose') ?? 'user_data')),
    )
  }

  #keepFile(bytes: Uint8Array<ArrayBuffer>, filename: string, purpose: string): Fields {
    const id = `file-${++this.#count}`
    const file = {
      id,
      object: 'file',
      bytes: bytes.length,
      created_at: this.#nowS(),
      filename,
      purpose,
      status: 'processed',
    }
    put(this.#files, id, { file, bytes, type: 'application/octet-stream' })
    return file
  }

  #file(method: string, id: string, below: string | undefined): Response {
    const known = this.#files.get(id)
    if (known === undefined) return notFound(`No such File object: ${id}`)
    if (method === 'DELETE') {
      this.#files.delete(id)
      return Response.json({ id, object: 'file', deleted: true })
    }
    return below === 'content'
      ? new Response(known.bytes, { headers: { 'content-type': known.type } })
      : Response.json(known.file)
  }

  async #begin(request: Request): Promise<Response> {
    if (request.method !== 'POST') return Response.json(listOf([...this.#batches.values()]))
    const asked: unknown = await request.json().catch(() => null)
    const input = isRecord(asked) ? this.#files.get(String(asked.input_file_id)) : undefined
    if (!isRecord(asked) || input === undefined) return notFound('The input file does not exist.')
    const id = `batch_${++this.#count}`
    const batch = {
      id,
      object: 'batch',
      status: 'validating',
      created_at: this.#nowS(),
      output_file_id: null,
      error_file_id: null,
      ...asked,
    }
    put(this.#batches, id, batch)
    return Response.json(batch)
  }

  /** It is done when it is asked for. */
  #batch(method: string, id: string, below: string | undefined): Response {
    const batch = this.#batches.get(id)
    if (batch === undefined) return notFound(`No batch found with id '${id}'.`)
    if (batch.status !== 'validating') return Response.json(batch)
    const ended =
      method === 'POST' && below === 'cancel'
        ? { ...batch, status: 'cancelled', cancelled_at: this.#nowS() }
        : this.#done(batch)
    this.#batches.set(id, ended)
    return Response.json(ended)
  }

  #done(batch: Fields): Fields {
    const input = this.#files.get(String(batch.input_file_id))
    const { output, counts } = demoBatch(Buffer.from(input?.bytes ?? []).toString(), this.#run)
    const file = this.#keepFile(new Uint8Array(Buffer.from(output)), 'output.jsonl', 'batch_output')
    return {
      ...batch,
      status: 'completed',
      completed_at: this.#nowS(),
      output_file_id: file.id,
      request_counts: counts,
    }
  }
}

const KEPT_MAX = 100

function put<T>(map: Map<string, T>, id: string, value: T): void {
  map.set(id, value)
  forgetOldest(map, KEPT_MAX)
}

const notFound = (message: string): Response =>
  Response.json(errorBody('invalid_request_error', null, message), { status: 404 })

function listOf(data: readonly Fields[]): Fields {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false }
}

function itemsOf(input: unknown, id: string): Fields[] {
  const items = Array.isArray(input)
    ? input.filter(isRecord)
    : [{ role: 'user', content: [{ type: 'input_text', text: String(input ?? '') }] }]
  return items.map((item, at) => ({ id: `msg_${id}_${at}`, type: 'message', ...item }))
}
