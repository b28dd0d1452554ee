import type { Dice } from './abort-plan.ts'
import { framingOf, parseHead, readBody } from './http-message.ts'
import { mutate, mutateValues } from './mutate.ts'
import { ANSWER_SEEDS, type AnswerSeed } from './mutation-seeds.ts'
import { breathe, type Wire, wireHandlers } from './wire.ts'

// What puts a credential or a backend out for a while is tried by tables: here everybody must be asked again.
const STATUSES = [200, 200, 200, 200, 200, 400, 404, 413, 422, 500, 503, 201, 204, 206, 301, 304, 418, 599]
const TYPES = [
  'application/json',
  'text/event-stream',
  'text/html',
  'audio/mpeg',
  'TEXT/EVENT-STREAM ; x=y',
  '',
  '\u0001',
]
const EXTRA = [
  'content-encoding: gzip',
  'x: \xff\xfe',
  'content-length: 3',
  'transfer-encoding: chunked',
  'x-request-id: ',
  ': x',
  'broken',
]

export interface MutationProvider extends AsyncDisposable {
  readonly origin: string
  /** How many requests came. */
  readonly asked: number
}

/** A provider that answers whatever it is asked with an answer of the fixtures that has faults in it; one in four has none. */
export function mutationProvider(dice: Dice): MutationProvider {
  const open = new Set<Wire>()
  let asked = 0
  const serveOne = async (wire: Wire): Promise<boolean> => {
    const head = await wire.until('\r\n\r\n')
    if (head === null) return false
    const { startLine, headers } = parseHead(head)
    const pieces: Buffer[] = []
    if (!(await readBody(wire, framingOf(headers, 'none'), { bytes: (bytes) => pieces.push(bytes) }))) return false
    asked += 1
    const stream = /"stream"\s*:\s*true/.test(Buffer.concat(pieces).toString('latin1'))
    const answer = answerOf(dice, seedFor(dice, startLine.split(' ')[1] ?? '', stream))
    const cut = answer.isSound ? answer.bytes.length : dice(answer.bytes.length + 1)
    for (const piece of [answer.bytes.subarray(0, cut), answer.bytes.subarray(cut)]) {
      if (piece.length === 0) continue
      if (!(await wire.write(piece))) return false
      await breathe()
    }
    return answer.isSound
  }
  const serve = async (wire: Wire): Promise<void> => {
    open.add(wire)
    void wire.ended.then(() => open.delete(wire))
    while (await serveOne(wire));
    if (!wire.isEnded) wire.close()
  }
  const socket = wireHandlers((wire) => void serve(wire))
  const listener = Bun.listen<Wire>({ hostname: '127.0.0.1', port: 0, allowHalfOpen: true, socket })
  return {
    origin: `http://127.0.0.1:${listener.port}`,
    get asked() {
      return asked
    },
    async [Symbol.asyncDispose]() {
      listener.stop()
      for (const wire of open) wire.reset()
    },
  }
}

/** Mostly one that could be the answer to such a request. */
function seedFor(dice: Dice, target: string, stream: boolean): AnswerSeed {
  const wanted = stream ? 'streams' : 'replies'
  const fitting = ANSWER_SEEDS.filter((seed) => seed.kind === wanted && target.startsWith(`/v1${seed.path}`))
  const among = dice(6) > 0 && fitting.length > 0 ? fitting : ANSWER_SEEDS
  const seed = among[dice(among.length)]
  if (seed === undefined) throw new Error('there are no fixtures')
  return seed
}

/** An answer that is not sound is followed by the end of the connection: what was broken may hide where it ends. */
function answerOf(dice: Dice, seed: AnswerSeed): { readonly bytes: Buffer; readonly isSound: boolean } {
  const fate = dice(4)
  const isFaulty = fate > 0
  const body = fate === 0 ? seed.body : fate === 1 ? mutate(dice, seed.body) : mutateValues(dice, seed.body)
  const type = seed.kind === 'streams' ? 'text/event-stream' : 'application/json'
  const oddHead = isFaulty && dice(8) === 0
  const status = oddHead || seed.kind === 'errors' ? STATUSES[5 + dice(STATUSES.length - 5)] : 200
  const lines = [
    `HTTP/1.1 ${status} X`,
    `content-type: ${oddHead ? TYPES[dice(TYPES.length)] : type}`,
    ...(oddHead && dice(2) === 0 ? [EXTRA[dice(EXTRA.length)]] : [`content-length: ${body.length}`]),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const whole = Buffer.concat([head, body])
  if (dice(50) === 0) return { bytes: mutate(dice, whole), isSound: false }
  return { bytes: whole, isSound: !oddHead }
}
