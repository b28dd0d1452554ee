import { runCommandLine } from '../../src/cli/index.ts'
import { type FakeTerminalOptions, fakeTerminal } from './fake-terminal.ts'

/** One command, from its words to its exit code, in this process. */
export async function runCommand(words: readonly string[], options: FakeTerminalOptions = {}) {
  const terminal = fakeTerminal(options)
  const code = await runCommandLine(words, terminal)
  return { code, said: terminal.said, complained: terminal.complained }
}
