import { type CancelTimer, type Clock, hasFilesLeft, NO_FILES_LEFT, PassingMap } from '../lib/index.ts'
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

// Two for its loop, and what it opens at once: its code, databases.
const FILES_OF_A_THREAD = 16

/**
 * Starts a thread that runs `serveThread` with the handlers of `C`, whose events are `E`. Throws `ThreadDied` when this process may not open as many
 * files as one needs: Bun would end all of the process.
 */
export function startThread<C extends CallsOf<C>, E>(options: ThreadOptions<E>): Thread<C> {
  if (!hasFilesLeft(FILES_OF_A_THREAD)) throw new ThreadDied(NO_FILES_LEFT)
  return new WorkerThread<C, E>(options)
}

class WorkerThread<C extends CallsOf<C>, E> implements Thread<C> {
  readonly #options: ThreadOptions<E>
  readonly #worker: Worker
  readonly #open = new PassingMap<number, OpenCall>()
  #lastId = 0
  #ended: ThreadDied | null = null

  constructor(options: ThreadOptions<E>) {
    this.#options = options
    this.#worker = options.spawn()
    this.#worker.addEventListener('message', ({ data }: MessageEvent<ThreadMessage>) => this.#onMessage(data))
    this.#worker.addEventListener('error', (event) => this.#die(`a thread failed: ${event.message}`))
    this.#worker.addEventListener('close', () => this.#die('a thread ended'))
  }

  call<N extends keyof C & string>(
    name: N,
    argument: ArgumentOf<C[N]>,
    deadlineMs?: number,
  ): Promise<Awaited<AnswerOf<C[N]>>> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      const late = () => this.#take(id)?.reject(new CallDeadline(`${name} took more than ${deadlineMs} ms`))
      const cancel = deadlineMs === undefined ? null : this.#options.clock.after(deadlineMs, late)
      // The handler on the other side is typed by the same C.
      this.#open.set(id, { resolve: (value) => resolve(value as Awaited<AnswerOf<C[N]>>), reject, cancel })
      this.#worker.postMessage({ id, name, argument } satisfies CallMessage)
    })
  }

  end(): void {
    if (this.#finish(new ThreadDied('the thread was ended'))) this.#worker.terminate()
  }

  #onMessage(message: ThreadMessage): void {
    if (this.#ended !== null) return
    switch (message.kind) {
      case 'answer':
        this.#take(message.id)?.resolve(message.value)
        break
      case 'failure':
        this.#take(message.id)?.reject(new ThreadFailure(message.error))
        break
      case 'event':
        this.#options.onEvent(message.event as E) // posted by our own code, typed by the same E
        break
    }
  }

  #die(why: string): void {
    const error = new ThreadDied(why)
    if (!this.#finish(error)) return
    this.#worker.terminate()
    this.#options.onDeath(error)
  }

  #finish(error: ThreadDied): boolean {
    if (this.#ended !== null) return false
    this.#ended = error
    for (const id of [...this.#open.keys()]) this.#take(id)?.reject(error)
    return true
  }

  #take(id: number): OpenCall | undefined {
    const call = this.#open.get(id)
    this.#open.delete(id)
    call?.cancel?.()
    return call
  }
}
