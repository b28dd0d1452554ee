import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { type Surroundings, systemSurroundings } from '../config/index.ts'
import { type Clock, errorCode, type Random, systemClock, systemRandom } from '../lib/index.ts'

/** What a command has of the world around it, as an argument: tests give their own. */
export interface Terminal {
  readonly clock: Clock
  readonly random: Random
  readonly surroundings: Surroundings
  readonly pid: number
  /** How this program was called, for commands that are shown: `dist/anyrouter`. */
  readonly program: string
  /** Who runs the command, for the audit. */
  readonly actor: string
  readonly isOutTty: boolean
  readonly isErrorTty: boolean
  /** Whether a person can be asked. */
  readonly isInTty: boolean
  /** Shows a question and waits for one line, without the spaces around it; empty at the end of the input. Only with `isInTty`. */
  ask(question: string): Promise<string>
  /** What stdin holds, to its end, at most so much. */
  readIn(bytesMax: number): Promise<Uint8Array>
  out(text: string): void
  error(text: string): void
  /** Whether the terminal on stdout was closed; false when there never was one. */
  isHungUp(): boolean
  /** Calls back for each of these signals, which then do nothing by themselves. The answer gives them back. */
  onSignals(signals: readonly NodeJS.Signals[], callback: (signal: NodeJS.Signals) => void): () => void
  /** Calls back when the process exits, however it does; nothing asynchronous happens there. */
  onExit(callback: () => void): void
  /** Calls back for every error that nobody caught, instead of ending the process. */
  onStrayError(callback: (error: unknown) => void): void
  /** Ends the process now. */
  exit(code: number): never
}

/** From source, or by a name that a shell would split, it is called what it is. */
const calledAs = (): string =>
  Bun.main.startsWith('/$bunfs/') && /^[\w./-]+$/.test(process.argv0) ? process.argv0 : 'anyrouter'

/** The terminal of this process. Text is written before a call returns: `process.exit` cuts off what `process.stdout` still holds. */
export function systemTerminal(): Terminal {
  return {
    clock: systemClock(),
    random: systemRandom(),
    surroundings: systemSurroundings(),
    pid: process.pid,
    program: calledAs(),
    actor: `local:${process.getuid?.() ?? 'unknown'}`,
    isOutTty: wasTty.includes(1),
    isErrorTty: wasTty.includes(2),
    readIn,
    isInTty: process.stdin.isTTY === true,
    ask(question) {
      writeAll(1, question)
      return readLine()
    },
    out: (text) => writeAll(1, text),
    error(text) {
      try {
        writeAll(2, text)
      } catch {
        // there is no other place to say so
      }
    },
    isHungUp,
    onSignals(signals, callback) {
      for (const signal of signals) process.on(signal, callback)
      return () => {
        for (const signal of signals) process.off(signal, callback)
      }
    },
    onExit: (callback) => void process.on('exit', callback),
    onStrayError(callback) {
      process.on('unhandledRejection', callback)
      process.on('uncaughtException', callback)
    },
    exit: (code) => process.exit(code),
  }
}

/** A terminal hands over whole lines. */
function readLine(): Promise<string> {
  const { stdin } = process
  if (stdin.readableEnded) return Promise.resolve('')
  return new Promise((resolve) => {
    const end = (bytes?: Buffer): void => {
      stdin.off('data', end).off('end', end).pause()
      resolve(bytes === undefined ? '' : bytes.toString().trim())
    }
    stdin.on('data', end).on('end', end).resume()
  })
}

const BUSY_TRIES_MAX = 100_000
const wasTty = [1, 2].filter((fd) => isatty(fd)) // a closed one is none any more

/** Nothing can be written to a terminal that was closed, not even nothing. */
function isHungUp(): boolean {
  if (!wasTty.includes(1)) return false
  try {
    writeSync(1, new Uint8Array(0))
    return false
  } catch {
    return true
  }
}

/** A reader who left (`| head`, a closed terminal) is no failure; a pipe that is full (EAGAIN) is tried again for a while. Throws for what is lost. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  for (let tries = 0; written < bytes.length; tries++) {
    try {
      written += writeSync(fd, bytes, written)
    } catch (error) {
      const code = errorCode(error)
      if (code === 'EPIPE' || (code === 'EIO' && wasTty.includes(fd))) return
      if (code !== 'EAGAIN' || tries > BUSY_TRIES_MAX) throw error
    }
  }
}

async function readIn(bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of Bun.stdin.stream()) {
    pieces.push(piece)
    size += piece.byteLength
    if (size >= bytesMax) break
  }
  return Buffer.concat(pieces).subarray(0, bytesMax)
}
