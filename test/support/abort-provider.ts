import type { AbortPlan, ProviderAct } from './abort-plan.ts'
import { framingOf, parseHead, readBody } from './http-message.ts'
import { breathe, type Wire, wireHandlers } from './wire.ts'

/** A provider that does with each request what the plan that the request names says. */
export interface AbortProvider extends AsyncDisposable {
  readonly origin: string
  /** Connections it has now. */
  readonly connectionsOpen: number
  /** What it did for each plan, by number, in order: an attempt each. */
  readonly acts: ReadonlyMap<number, readonly ProviderAct[]>
  /** Resolves when it says nothing more to an attempt of this plan. */
  silent(number: number): Promise<void>
}

const NOTHING_HERE = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n' // for questions that are none of ours

/** The mark in a message that names a plan. */
export const markOf = (number: number): string => `case-${number}.`

/** Listens on 127.0.0.1. */
export function abortProvider(planOf: (number: number) => AbortPlan | undefined): AbortProvider {
  const open = new Set<Wire>()
  const acts = new Map<number, ProviderAct[]>()
  const silences = new Map<number, PromiseWithResolvers<void>>()
  const silenceOf = (number: number): PromiseWithResolvers<void> => {
    const known = silences.get(number) ?? Promise.withResolvers<void>()
    silences.set(number, known)
    return known
  }

  const serveOne = async (wire: Wire): Promise<boolean> => {
    const head = await wire.until('\r\n\r\n')
    if (head === null) return false
    const pieces: Buffer[] = []
    const framing = framingOf(parseHead(head).headers, 'none')
    if (!(await readBody(wire, framing, { bytes: (bytes) => pieces.push(bytes) }))) return false
    const plan = planOf(Number(/case-(\d+)\./.exec(Buffer.concat(pieces).toString('utf8'))?.[1]))
    if (plan === undefined) return wire.write(NOTHING_HERE)
    const done = acts.get(plan.number) ?? []
    const act = plan.provider[Math.min(done.length, plan.provider.length - 1)]
    if (act === undefined) return false
    acts.set(plan.number, [...done, act])
    return play(wire, act, () => silenceOf(plan.number).resolve())
  }
  const serve = async (wire: Wire): Promise<void> => {
    open.add(wire)
    void wire.ended.then(() => open.delete(wire))
    while (await serveOne(wire));
    if (!wire.isEnded) wire.close()
  }
  const listener = Bun.listen<Wire>({
    hostname: '127.0.0.1',
    port: 0,
    allowHalfOpen: true,
    socket: wireHandlers((wire) => void serve(wire)),
  })
  return {
    origin: `http://127.0.0.1:${listener.port}`,
    get connectionsOpen() {
      return open.size
    },
    acts,
    silent: (number) => silenceOf(number).promise,
    async [Symbol.asyncDispose]() {
      listener.stop()
      for (const wire of open) wire.reset()
    },
  }
}

/** False when the connection is over. */
async function play(wire: Wire, act: ProviderAct, onSilence: () => void): Promise<boolean> {
  for (const piece of act.pieces) {
    await breathe()
    if (!(await wire.write(piece))) return false
  }
  switch (act.kind) {
    case 'whole':
      return !wire.isEnded
    case 'fin':
      wire.close()
      return false
    case 'rst':
      wire.reset()
      return false
    case 'silent':
      onSilence()
      await wire.ended
      return false
  }
}
