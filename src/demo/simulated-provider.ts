import { type Clock, delay, isRecord } from '../lib/index.ts'
import { type AnswerHead, answerBody, answerEvents, type DemoEvent, errorBody } from './answer-body.ts'
import { type DemoAnswer, demoAnswer } from './demo-answer.ts'
import { DemoKeeper } from './demo-keeper.ts'
import { DEMO_OPERATIONS } from './demo-operations.ts'
import type { DemoReply } from './demo-reply.ts'
import { type DemoRequest, readDemoRequest } from './demo-request.ts'
import type { Dials, ModelDials } from './dials.ts'
import { readDemoForm } from './read-demo-form.ts'

export interface SimulatedProviderOptions {
  /** What it calls itself in its answers. */
  readonly name: string
  /** The credential it asks for; null: none. */
  readonly secret: string | null
  readonly dials: Dials
  readonly clock: Clock
}

/** A provider on loopback: real connections, simulated answers. */
export interface SimulatedProvider {
  /** e.g. `http://127.0.0.1:40123/v1`. */
  readonly baseUrl: string
  /** Ends it at once, with every connection. */
  close(): Promise<void>
}

const IDLE_S_MAX = 255 // Bun's longest: the gateway keeps connections and decides itself when they end
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** Starts a simulated provider that speaks OpenAI's operations, plain and streamed, and lists its models. */
export function simulatedProvider(options: SimulatedProviderOptions): SimulatedProvider {
  const nowS = (): number => Math.floor(options.clock.wallMs() / 1000)
  const keeper = new DemoKeeper((path, body) => batchAnswer(options, path, body, nowS()), nowS)
  const state: State = { ...options, nowS, held: 0, answers: 0, asked: new Map(), keeper }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: IDLE_S_MAX,
    maxRequestBodySize: BODY_BYTES_MAX,
    fetch: (request) => serve(state, request),
    error: () => json(500, errorBody('server_error', null, 'The simulated provider has a bug.')),
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    close: () => server.stop(true),
  }
}

interface State extends SimulatedProviderOptions {
  readonly nowS: () => number
  held: number
  answers: number
  /** Requests so far, by model. */
  readonly asked: Map<string, number>
  readonly keeper: DemoKeeper
}

async function serve(state: State, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (state.secret !== null && request.headers.get('authorization') !== `Bearer ${state.secret}`) {
    return json(401, errorBody('invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'))
  }
  if (pathname === '/v1/models' && request.method === 'GET') return listModels(state)
  const isChat = pathname === '/v1/chat/completions'
  const isKnown = isChat || DEMO_OPERATIONS.has(pathname)
  const kept = isKnown ? null : await state.keeper.answer(request)
  if (kept !== null) return kept
  if (!isKnown || request.method !== 'POST') {
    return json(404, errorBody('invalid_request_error', null, `Invalid URL (${request.method} ${pathname})`))
  }
  if (state.held >= state.dials.heldRequestsMax) {
    return json(429, errorBody('requests', 'rate_limit_exceeded', `${state.name} is full.`), { 'retry-after': '1' })
  }
  state.held++
  const release = once(() => {
    state.held--
  })
  request.signal.addEventListener('abort', release) // the caller hung up
  try {
    return isChat ? await chat(state, request, release) : await operate(state, pathname, request, release)
  } catch (error) {
    release()
    throw error
  }
}

/** Answers a chat request; `release` is called when its answer has ended, also by the caller's leaving. */
async function chat(state: State, request: Request, release: () => void): Promise<Response> {
  const { clock, name, dials } = state
  const released = (response: Response): Response => {
    release()
    return response
  }
  const read = readDemoRequest(await request.text())
  await delay(clock, dials.latencyMs)
  if ('message' in read) return released(json(400, errorBody('invalid_request_error', null, read.message, read.param)))
  const model = Object.hasOwn(dials.models, read.request.model) ? dials.models[read.request.model] : undefined
  if (model === undefined) {
    const message = `The model '${read.request.model}' does not exist.`
    return released(json(404, errorBody('invalid_request_error', 'model_not_found', message, 'model')))
  }
  if (failsNow(state, read.request.model, model)) {
    return released(json(500, errorBody('server_error', null, failsAsDialled(name, model))))
  }
  const answer = demoAnswer(read.request, name, model.talk)
  const head = {
    id: `chatcmpl-${name}-${++state.answers}`,
    created: state.nowS(),
    model: read.request.model,
  }
  if (read.request.stream === true) return stream(state, model, events(head, answer, read.request), release)
  if (model.tokensPerSecond !== null) await delay(clock, (answer.outputTokens * 1000) / model.tokensPerSecond)
  return released(json(200, answerBody(head, answer, read.request.n ?? 1)))
}

/** Answers anything but a conversation. */
async function operate(state: State, pathname: string, request: Request, release: () => void): Promise<Response> {
  const { clock, name, dials } = state
  const isForm = request.headers.get('content-type')?.startsWith('multipart/form-data') === true
  const given: unknown = await (isForm ? readDemoForm(request) : request.json()).catch(() => null)
  await delay(clock, dials.latencyMs)
  const model = isRecord(given) ? String(given.model) : ''
  const dialled = Object.hasOwn(dials.models, model) ? dials.models[model] : undefined
  const answer = DEMO_OPERATIONS.get(pathname)
  if (!isRecord(given) || dialled === undefined || answer === undefined) {
    release()
    const message = `The model '${model}' does not exist.`
    return json(404, errorBody('invalid_request_error', 'model_not_found', message, 'model'))
  }
  if (failsNow(state, model, dialled)) {
    release()
    return json(500, errorBody('server_error', null, failsAsDialled(name, dialled)))
  }
  if (typeof given.previous_response_id === 'string' && !state.keeper.hasResponse(given.previous_response_id)) {
    release()
    const message = `Previous response with id '${given.previous_response_id}' not found.`
    return json(400, errorBody('invalid_request_error', 'previous_response_not_found', message, 'previous_response_id'))
  }
  const head = { id: `${name}-${++state.answers}`, created: state.nowS(), model }
  const reply = answer(given, head, name)
  if (reply.response !== undefined && given.store !== false)
    state.keeper.keepResponse(reply.response, given.input, reply.kind === 'events' ? reply.events : [])
  return sent(state, dialled, reply, release)
}

function sent(state: State, model: ModelDials, reply: DemoReply, release: () => void): Response {
  if (reply.kind === 'events') {
    const paced = reply.events.map((text) => ({ text, paced: true }))
    return stream(state, model, paced, release)
  }
  release()
  if (reply.kind === 'text')
    return new Response(reply.text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
  return reply.kind === 'json'
    ? json(200, reply.body)
    : new Response(reply.bytes, { headers: { 'content-type': 'audio/wav' } })
}

/** What a batch gets for one of its requests: a conversation, or anything else that is answered by a document. */
function batchAnswer(
  { name, dials }: SimulatedProviderOptions,
  path: string,
  body: Readonly<Record<string, unknown>>,
  created: number,
): unknown {
  const model = String(body.model)
  if (!Object.hasOwn(dials.models, model)) return null
  const head = { id: `${name}-batch`, created, model }
  if (path !== '/v1/chat/completions') {
    const reply = DEMO_OPERATIONS.get(path)?.({ ...body, stream: false }, head, name)
    return reply?.kind === 'json' ? reply.body : null
  }
  const read = readDemoRequest(JSON.stringify(body))
  return 'message' in read ? null : answerBody(head, demoAnswer(read.request, name, ''), 1)
}

const events = (head: AnswerHead, answer: DemoAnswer, request: DemoRequest): DemoEvent[] =>
  answerEvents(head, answer, request.n ?? 1, request.stream_options?.include_usage === true)

const failsAsDialled = (name: string, { failsOneOf }: ModelDials): string =>
  `${name} fails 1 of ${failsOneOf} requests, as dialled.`

function failsNow({ asked }: State, name: string, { failsOneOf }: ModelDials): boolean {
  const before = asked.get(name) ?? 0
  asked.set(name, before + 1)
  return failsOneOf > 0 && before % failsOneOf === 0
}

/** Sends the events at the model's speed: one for each pull, so that a caller who does not read stops it. */
function stream({ clock }: State, model: ModelDials, all: readonly DemoEvent[], release: () => void): Response {
  const encoder = new TextEncoder()
  const left = [...all]
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const event = left.shift()
      if (event?.paced && model.tokensPerSecond !== null) await delay(clock, 1000 / model.tokensPerSecond)
      if (cancelled) return
      if (event !== undefined) controller.enqueue(encoder.encode(event.text))
      if (left.length > 0) return
      controller.close()
      release()
    },
    cancel() {
      cancelled = true
      release()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } })
}

function listModels({ dials, nowS, name }: State): Response {
  const created = nowS()
  const data = Object.keys(dials.models).map((id) => ({ id, object: 'model', created, owned_by: name }))
  return json(200, { object: 'list', data })
}

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (!done) action()
    done = true
  }
}
