import { dialectOf, type ReplyStream, surfaceOf } from '../../dialects/index.ts'
import { GatewayError, type StoredThing } from '../../domain/index.ts'
import { mediumAnswer, publicError, streamAnswer } from '../answer.ts'
import { conclude } from '../conclude.ts'
import { mediaTypeOf } from '../dispatch/body-kind.ts'
import type { LiveStream } from '../handover.ts'
import { relayBody } from '../relay/relay.ts'
import { unwholeError } from '../relay/relay-plan.ts'
import type { Work } from '../work.ts'
import type { KeeperAnswer } from './ask-keeper.ts'

/** Passes on, as it comes, what a keeper answers: the events of a response, or the bytes of a file. */
export function relayKept(
  { house, call, over }: Work,
  answer: Extract<KeeperAnswer, { kind: 'live' }>,
  thing: StoredThing,
  isFile: boolean,
): Response {
  const model = thing.model ?? ''
  const reply = dialectOf('openai').openStream(
    isFile
      ? { operation: 'audio.speech', model, showUsage: false, isBinary: true }
      : { operation: 'responses', model, showUsage: true },
  )
  const mediaType = isFile ? mediaTypeOf(answer.head) : null
  const live = liveStream(answer, reply, mediaType)
  const timing = call.clock.read()
  const body = relayBody(house, call, {
    live,
    meter: { delivered: () => true, stop() {} },
    lastComment: NOTHING,
    errorEvent(end) {
      if (isFile) return null
      const mark = {
        operation: 'responses',
        id: thing.id,
        createdS: Math.floor(thing.createdAtMs / 1000),
        model,
        provider: '',
      } as const
      const shown = publicError(unwholeError(end), call.requestId)
      return surfaceOf(call.arrival.surface).writeErrorEvent(shown, { ...mark, begun: reply.begun })
    },
    ended(end) {
      answer.slot.agent.release(answer.slot)
      over(null)
      conclude(house, call, {
        status: 200,
        error: end.kind === 'completed' ? null : unwholeError(end),
        timing,
        settled: null,
      })
    },
  })
  return mediaType === null ? streamAnswer(call, timing, body) : mediumAnswer(call, timing, mediaType, body)
}

const NOTHING = new Uint8Array(0)

function liveStream(
  { exchange, attach }: Extract<KeeperAnswer, { kind: 'live' }>,
  reply: ReplyStream,
  mediaType: string | null,
): LiveStream {
  return {
    exchange,
    reply,
    mediaType,
    held: [],
    attach(observer) {
      const read = (events: () => ReturnType<ReplyStream['push']>): void => {
        try {
          observer.events(events())
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error
          exchange.abort()
          observer.broken('framing', error.message)
        }
      }
      attach({
        body: (bytes) => read(() => reply.push(bytes)),
        end() {
          read(() => reply.end())
          observer.end()
        },
        failure: (failure) => observer.broken(failure.kind === 'failed' ? failure.reason : 'reset', failure.message),
      })
    },
  }
}
