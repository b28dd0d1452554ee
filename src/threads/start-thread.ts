import type { CancelTimer, Clock } from '../lib/index.ts'
import type { AnswerOf, ArgumentOf, CallMessage, CallsOf, ThreadError, ThreadMessage } from './protocol.ts'

/** A call that a thread answered with an error, in that error's words. */
export class ThreadFailure extends Error {
  override name = 'ThreadFailure'
  readonly thrown: ThreadError

  constructor(thrown: ThreadError) {
    super(thrown.message)
    this.thrown = thrown
  }
}

/** The thread ended while calls were open, or before a call was made. */
export class ThreadDied extends Error {
  override name = 'ThreadDied'
}

/** A call that was not answered in time. The thread may still be at it. */
export class CallDeadline extends Error {
  override name = 'CallDeadline'
}

export interface ThreadOptions<E> {
  readonly spawn: () => Worker
  readonly clock: Clock
  readonly onEvent: (event: E) => void
  /** Once, when the thread ends without having been told to. Its open calls reject first. */
  readonly onDeath: (error: ThreadDied) => void
}

export interface Thread<C> {
  /** Rejects with `ThreadFailure`, `ThreadDied` or `CallDeadline` (never the last one without `deadlineMs`). */
  call<N extends keyof C & string>(
    name: N,
    argument: ArgumentOf<C[N]>,
    deadlineMs?: number,
  ): Promise<Awaited<AnswerOf<C[N]>>>
  /** Ends the thread at once; open calls reject with `ThreadDied`, `onDeath` is not called. */
  end(): void
}

interface OpenCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly cancel: CancelTimer | null
}

/** Starts a thread that runs `serveThread` with the handlers of `C`, whose events are `E`. */
export function startThread<C extends CallsOf<C>, E>(options: ThreadOptions<E>): Thread<C> {
  const { clock, onEvent, onDeath } = options
  const worker = options.spawn()
  const open = new Map<number, OpenCall>()
  let lastId = 0
  let ended: ThreadDied | null = null

  function take(id: number): OpenCall | undefined {
    const call = open.get(id)
    open.delete(id)
    call?.cancel?.()
    return call
  }

  function finish(error: ThreadDied): boolean {
    if (ended !== null) return false
    ended = error
    for (const id of [...open.keys()]) take(id)?.reject(error)
    return true
  }

  function die(why: string): void {
    const error = new ThreadDied(why)
    if (finish(error)) {
      worker.terminate()
      onDeath(error)
    }
  }

  worker.addEventListener('message', ({ data }: MessageEvent<ThreadMessage>) => {
    if (ended !== null) return
    switch (data.kind) {
      case 'answer':
        return take(data.id)?.resolve(data.value)
      case 'failure':
        return take(data.id)?.reject(new ThreadFailure(data.error))
      case 'event':
        return onEvent(data.event as E) // from our own code on the other side, typed by the same E
    }
  })
  worker.addEventListener('error', (event) => die(`a thread failed: ${event.message}`))
  worker.addEventListener('close', () => die('a thread ended'))

  return {
    call(name, argument, deadlineMs) {
      return new Promise((resolve, reject) => {
        if (ended !== null) return reject(ended)
        const id = ++lastId
        const late = () => take(id)?.reject(new CallDeadline(`${name} took more than ${deadlineMs} ms`))
        const cancel = deadlineMs === undefined ? null : clock.after(deadlineMs, late)
        open.set(id, { resolve: (value) => resolve(value as Awaited<AnswerOf<C[typeof name]>>), reject, cancel })
        worker.postMessage({ id, name, argument } satisfies CallMessage)
      })
    },
    end() {
      if (finish(new ThreadDied('the thread was ended'))) worker.terminate()
    },
  }
}
