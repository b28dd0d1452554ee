import { parentPort } from 'node:worker_threads'
import { Bug } from '../lib/index.ts'
import type { CallMessage, CallsOf, ThreadError, ThreadMessage } from './protocol.ts'

/** Sends an event to the thread that started this one. */
export type PostEvent<E> = (event: E) => void

/**
 * Answers calls in this thread, in the order they come. A handler that answers without a promise has its answer posted before
 * anything else runs, its microtasks too: what it queues there is work after the answer.
 */
export function serveThread<C extends CallsOf<C>, E>(makeHandlers: (post: PostEvent<E>) => C): void {
  const port = parentPort
  if (port === null) throw new Bug('this file is the entry point of a thread')
  const post = (message: ThreadMessage) => port.postMessage(message)
  const handlers: CallsOf<C> = makeHandlers((event) => post({ kind: 'event', event }))

  port.on('message', ({ id, name, argument }: CallMessage) => {
    const answer = (value: unknown) => post({ kind: 'answer', id, value })
    const fail = (error: unknown) => post({ kind: 'failure', id, error: asThreadError(error) })
    try {
      const handler = handlers[name as keyof C]
      const value = handler(argument as never) // the caller is typed by the same C
      if (value instanceof Promise) value.then(answer, fail)
      else answer(value)
    } catch (error) {
      fail(error)
    }
  })
}

function asThreadError(error: unknown): ThreadError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: null }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  return { name: error.name, message: error.message, code }
}
