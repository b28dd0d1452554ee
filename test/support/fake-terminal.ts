import type { Terminal } from '../../src/cli/index.ts'
import type { Environment } from '../../src/config/index.ts'
import { systemSurroundings } from '../../src/config/index.ts'
import { type Clock, systemClock, systemRandom } from '../../src/lib/index.ts'

/** A terminal that keeps what is said, and whose signals a test sends. */
export interface FakeTerminal extends Terminal {
  readonly said: string
  readonly complained: string
  /** Sends a signal to whoever waits for one. Throws `Exited` when that ends the process. */
  signal(name: NodeJS.Signals): void
  /** The terminal is closed. */
  hangUp(): void
  /** Resolves when `text` has been said. */
  saying(text: string): Promise<void>
  /** What a process does when it exits. */
  runExits(): void
}

/** The process was told to exit. */
export class Exited extends Error {
  override name = 'Exited'
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

export interface FakeTerminalOptions {
  readonly clock?: Clock
  readonly env?: Environment
  readonly isTty?: boolean
  /** What a person answers, question by question; with them somebody can be asked. */
  readonly answers?: readonly string[]
  /** What comes on stdin. */
  readonly stdin?: string
}

/** Makes one; without a TTY and with an empty environment unless told otherwise. */
export function fakeTerminal({
  clock = systemClock(),
  env = {},
  isTty = false,
  answers,
  stdin = '',
}: FakeTerminalOptions = {}): FakeTerminal {
  const exits: (() => void)[] = []
  const waiting: { text: string; resolve: () => void }[] = []
  const left = [...(answers ?? [])]
  let said = ''
  let complained = ''
  const tell = () => {
    for (const { text, resolve } of waiting) if (said.includes(text)) resolve()
  }
  return {
    clock,
    random: systemRandom(),
    surroundings: { ...systemSurroundings(), env },
    pid: 4242,
    program: 'anyrouter',
    actor: 'local:test',
    isOutTty: isTty,
    isErrorTty: isTty,
    isInTty: answers !== undefined,
    async ask(question) {
      this.out(question)
      const answer = left.shift()
      if (answer === undefined) throw new Error(`nobody answers: ${question}`)
      return answer
    },
    readIn: async (bytesMax) => Buffer.from(stdin).subarray(0, bytesMax),
    out(text) {
      said += text
      tell()
    },
    error(text) {
      complained += text
    },
    ...fakeSignals(),
    onExit: (callback) => void exits.push(callback),
    onStrayError: () => {},
    exit(code) {
      throw new Exited(code)
    },
    get said() {
      return said
    },
    get complained() {
      return complained
    },
    saying(text) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ text, resolve })
      tell()
      return promise
    },
    runExits() {
      for (const callback of exits.splice(0)) callback()
    },
  }
}

type Signalled = Pick<FakeTerminal, 'isHungUp' | 'hangUp' | 'onSignals' | 'signal'>

function fakeSignals(): Signalled {
  const listeners = new Map<string, Set<(signal: NodeJS.Signals) => void>>()
  let isHungUp = false
  return {
    isHungUp: () => isHungUp,
    hangUp() {
      isHungUp = true
    },
    onSignals(signals, callback) {
      for (const signal of signals) listeners.set(signal, (listeners.get(signal) ?? new Set()).add(callback))
      return () => {
        for (const signal of signals) listeners.get(signal)?.delete(callback)
      }
    },
    signal(name) {
      const heard = [...(listeners.get(name) ?? [])]
      if (heard.length === 0) throw new Error(`nobody listens to ${name}`)
      for (const callback of heard) callback(name)
    },
  }
}
