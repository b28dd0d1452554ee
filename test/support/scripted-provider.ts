import { join } from 'node:path'
import { framingOf, type Headers, headerValues, parseHead, readBody } from './http-message.ts'
import { Milestones } from './milestones.ts'
import { playScript } from './play-script.ts'
import { json, type Part, type Script, type Step, script } from './script.ts'
import { breathe, type Wire, wireHandlers } from './wire.ts'

export interface ProviderOptions {
  /** Speaks TLS with the certificate of `test/fixtures/tls` (for localhost and 127.0.0.1). */
  readonly tls?: boolean
  /** See `PlayOptions`. */
  readonly apartMs?: number
}

/** A request as it came, byte for byte. */
export interface SeenRequest {
  /** 1 for the first connection of all. */
  readonly connection: number
  readonly method: string
  readonly target: string
  readonly headers: Headers
  /** Without its framing. */
  readonly body: Buffer
  /** Head and body. */
  readonly raw: Buffer
  /** False when the body was cut short, or bytes followed it that are no request. */
  readonly framingIntact: boolean
  header(name: string): string | null
  json(): unknown
}

export const TLS_CERTIFICATE_PATH = join(import.meta.dir, '../fixtures/tls/cert.pem')
const TLS_KEY_PATH = join(import.meta.dir, '../fixtures/tls/key.pem')
const UNEXPECTED = json(500, { error: { message: 'the scripted provider has no script', type: 'server_error' } })

/** A provider made of raw sockets on 127.0.0.1: plays scripts byte by byte and keeps all it saw. The first call makes it listen. */
export async function scriptedProvider(options: ProviderOptions = {}): Promise<ScriptedProvider> {
  const provider = new ScriptedProvider(options)
  provider.script()
  return provider
}

class ScriptedProvider implements AsyncDisposable {
  /** In the order of their arrival; each is counted when its body is complete (or cut). */
  readonly requests: SeenRequest[] = []
  /** Connections accepted so far; with TLS, those whose handshake succeeded. */
  connections = 0
  port = 0
  readonly #options: ProviderOptions
  readonly #milestones = new Milestones()
  readonly #open = new Map<Wire, { busy: boolean }>()
  #scripts: readonly (readonly Step[])[] = []
  #played = 0
  #gates = new Map<string, PromiseWithResolvers<void>>()
  #listener: { stop(): void } | null = null

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  get origin(): string {
    return `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`
  }

  get baseUrl(): string {
    return `${this.origin}/v1`
  }

  get connectionsOpen(): number {
    return this.#open.size
  }

  /**
   * From now on the n-th request plays the n-th script, the last one repeats. All gates are closed again. Counts of
   * requests and connections go on.
   */
  script(...parts: readonly Part[]): void {
    const scripts = parts.map((part) => script(part).steps)
    if (scripts.slice(0, -1).some(isRefusal)) throw new Error('refuse() must be the last: nobody sees a refused dial')
    this.#scripts = scripts
    this.#played = 0
    this.#gates = new Map()
    if (this.#refusesNext()) this.#refuse()
    else this.#listen()
  }

  /** Lets every script through that waits at the gate, and all that come to it later. */
  release(gate: string): void {
    this.#gate(gate).resolve()
  }

  /** Resolves when a script has come to the gate (for the `times`-th time, over all scripts). */
  reached(gate: string, times = 1): Promise<void> {
    return this.#milestones.reached(`gate ${gate}`, times)
  }

  /** The n-th request, once all of it has come. */
  async arrived(number = 1): Promise<SeenRequest> {
    await this.#milestones.reached('request', number)
    const request = this.requests[number - 1]
    if (request === undefined) throw new Error(`request ${number} was lost`)
    return request
  }

  /** Resolves when the caller has left in the middle of an answer: of request `number`, or of any. */
  peerClosed(number?: number): Promise<void> {
    return this.#milestones.reached(number === undefined ? 'caller left' : `caller left request ${number}`, 1)
  }

  /** Resolves when `count` connections of all have ended, whoever ended them. */
  connectionsEnded(count: number): Promise<void> {
    return this.#milestones.reached('connection ended', count)
  }

  /** Ends every kept connection that is idle now. */
  closeIdle(how: 'fin' | 'rst' = 'fin'): void {
    for (const [wire, { busy }] of this.#open) {
      if (busy) continue
      if (how === 'fin') wire.close()
      else wire.reset()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    for (const wire of this.#open.keys()) wire.reset()
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const known = this.#gates.get(name)
    if (known !== undefined) return known
    const gate = Promise.withResolvers<void>()
    this.#gates.set(name, gate)
    return gate
  }

  #scriptAt(index: number): readonly Step[] | undefined {
    return this.#scripts[Math.min(index, this.#scripts.length - 1)]
  }

  #refusesNext(): boolean {
    const next = this.#scriptAt(this.#played)
    return next !== undefined && isRefusal(next)
  }

  #refuse(): void {
    this.#stopListening()
    this.closeIdle()
  }

  #listen(): void {
    if (this.#listener !== null) return
    const tls = this.#options.tls ? { tls: { cert: Bun.file(TLS_CERTIFICATE_PATH), key: Bun.file(TLS_KEY_PATH) } } : {}
    const listener = Bun.listen<Wire>({
      hostname: '127.0.0.1',
      port: this.port,
      allowHalfOpen: true,
      socket: wireHandlers((wire) => void this.#serve(wire, ++this.connections)),
      ...tls,
    })
    this.port = listener.port
    this.#listener = listener
  }

  #stopListening(): void {
    this.#listener?.stop()
    this.#listener = null
  }

  async #serve(wire: Wire, connection: number): Promise<void> {
    const state = { busy: false }
    this.#open.set(wire, state)
    void wire.ended.then(() => {
      this.#open.delete(wire)
      this.#milestones.mark('connection ended')
    })
    while (await this.#serveOne(wire, connection, state)) if (this.#refusesNext()) break
    if (!wire.isEnded) wire.close()
  }

  /** False when the connection is over. */
  async #serveOne(wire: Wire, connection: number, state: { busy: boolean }): Promise<boolean> {
    state.busy = false
    await wire.readable()
    state.busy = true
    const head = await wire.until('\r\n\r\n')
    if (head === null) return false
    const { request, complete } = await receive(wire, head, connection)
    const number = this.requests.push(request)
    const steps = this.#scriptAt(this.#played++) ?? UNEXPECTED.steps
    if (this.#refusesNext()) this.#refuse()
    this.#milestones.mark('request')
    if (!complete) {
      if (!wire.endedByUs) this.#markLeft(number)
      return false
    }
    return this.#play(wire, steps, number)
  }

  async #play(wire: Wire, steps: readonly Step[], number: number): Promise<boolean> {
    let playing = true
    void wire.ended.then(() => {
      if (playing && !wire.endedByUs) this.#markLeft(number)
    })
    const goesOn = await playScript(wire, steps, {
      gate: (name) => {
        this.#milestones.mark(`gate ${name}`)
        return this.#gate(name).promise
      },
      apartMs: this.#options.apartMs ?? 0,
    })
    if (wire.isEnded) await wire.ended // so that the lines above have seen it
    playing = false
    return goesOn
  }

  #markLeft(number: number): void {
    this.#milestones.mark('caller left')
    this.#milestones.mark(`caller left request ${number}`)
  }
}

/** Reads the body that belongs to a head. */
async function receive(
  wire: Wire,
  head: Buffer,
  connection: number,
): Promise<{ request: SeenRequest; complete: boolean }> {
  const { startLine, headers } = parseHead(head)
  const [method = '', target = ''] = startLine.split(' ')
  const pieces: Buffer[] = []
  const complete = await readBody(wire, framingOf(headers, 'none'), { bytes: (bytes) => pieces.push(bytes) })
  await breathe() // bytes that follow the body would come now
  const body = Buffer.concat(pieces)
  const request = {
    connection,
    method,
    target,
    headers,
    body,
    raw: Buffer.concat([head, body]),
    framingIntact: complete && !wire.hasUnread,
    header: (name: string) => headerValues(headers, name)[0] ?? null,
    json: (): unknown => JSON.parse(body.toString('utf8')),
  }
  return { request, complete }
}

export type { ScriptedProvider }

const isRefusal = (steps: Script['steps']): boolean => steps[0]?.refuse === true
