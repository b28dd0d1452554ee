/** How a command ends, for the shell. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** The process can no longer trust its store (EX_SOFTWARE of sysexits.h). */
  fatal: 70,
  /** A second Ctrl-C, as shells report SIGINT. */
  interrupted: 130,
} as const

/** A command cannot do what was asked; the message is for a person. */
export class CommandFailure extends Error {
  override name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
