/**
 * One step of what a scripted provider plays. All but the last two are those of the cases in `test/cases`, with their names.
 * A head without `content-length` makes the body chunked: each `send` is then one chunk.
 */
export interface Step {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly send?: string
  readonly send_b64?: string
  /** Bytes without framing, also in place of a head. */
  readonly raw?: string
  readonly times?: number
  readonly every_ms?: number
  readonly sleep_ms?: number
  /** The proper end of the body; the connection is kept. */
  readonly end?: true
  /** FIN without the last chunk. */
  readonly close?: true
  /** RST. */
  readonly reset?: true
  /** Nothing more until the other side closes. */
  readonly hang?: true
  /** Nothing listens. */
  readonly refuse?: true
  /** After `end`: closes the connection when it is still idle then. */
  readonly close_conn_after_ms?: number
  readonly raw_b64?: string
  /** Waits until the test releases the gate of this name. */
  readonly gate?: string
}

/** What one request is answered with. Not a promise, in spite of `then`: never return one from an async function. */
export interface Script {
  readonly steps: readonly Step[]
  /** The same script with more steps. */
  then(...more: readonly Part[]): Script
}

/** Scripts and steps may stand beside one another. */
export type Part = Step | Script

/** Joins steps and scripts to one script. */
export function script(...parts: readonly Part[]): Script {
  const steps = parts.flatMap((part) => ('steps' in part ? part.steps : [part]))
  return {
    steps,
    // biome-ignore lint/suspicious/noThenProperty: reads as the order it is; a promise's callbacks are refused
    then(...more) {
      if (more.some((part) => typeof part === 'function')) throw new Error('a script was awaited: it is no promise')
      return script(...steps, ...more)
    },
  }
}

// ---- endings and waits: steps

/** Waits until the test calls `provider.release(name)`. */
export const gate = (name: string): Step => ({ gate: name })
/** RST. */
export const reset = (): Step => ({ reset: true })
/** FIN, wherever the answer stands. */
export const close = (): Step => ({ close: true })
/** Nothing more until the other side closes. */
export const hang = (): Step => ({ hang: true })
/** Body bytes, in the framing of the head. */
export const send = (text: string): Step => ({ send: text })
/** The same for bytes that are no text. */
export const sendBytes = (bytes: Uint8Array): Step => ({ send_b64: Buffer.from(bytes).toString('base64') })
/** The proper end of the body. */
export const end = (): Step => ({ end: true })

// ---- whole answers

/** An answer with this status. The body is a text, a value (sent as JSON), or another answer, whose status is replaced. */
export function status(code: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}): Script {
  if (isScript(body)) {
    return script(
      ...body.steps.map((step) =>
        step.status === undefined ? step : { ...step, status: code, headers: { ...step.headers, ...headers } },
      ),
    )
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  const length = String(Buffer.byteLength(text))
  return script(
    { status: code, headers: { 'content-type': type, 'content-length': length, ...headers } },
    ...(text === '' ? [] : [send(text)]),
    end(),
  )
}

/** `json(body)` with status 200, or `json(status, body)`. */
export function json(...args: [body: unknown] | [status: number, body: unknown]): Script {
  const [code, body] = args.length === 2 ? args : [200, args[0]]
  const text = JSON.stringify(body)
  return status(code, text, { 'content-type': 'application/json' })
}

/** An HTML page, as proxies in front of a provider answer it. */
export const html = (code = 502, title = '502 Bad Gateway'): Script =>
  status(code, `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`, {
    'content-type': 'text/html',
  })

/** Exactly these bytes. */
export const raw = (bytes: string | Uint8Array): Script =>
  script(typeof bytes === 'string' ? { raw: bytes } : { raw_b64: Buffer.from(bytes).toString('base64') })

/** Takes the request and says nothing until the other side closes. */
export const silence = (): Script => script(hang())

/** Nothing listens any more: only as the last script. */
export const refuse = (): Script => script({ refuse: true })

function isScript(value: unknown): value is Script {
  return typeof value === 'object' && value !== null && 'steps' in value
}
