import { type Config, formatProblems, loadConfig, loadConfigText, type Problem } from '../config/index.ts'
import { counted } from './counted.ts'
import { CommandFailure } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** The configuration of this file; null: all defaults. Throws `CommandFailure` with every problem, its line and its reason. */
export async function readConfig(
  path: string | null,
  { surroundings }: Pick<Terminal, 'surroundings'>,
): Promise<Config> {
  const loaded = await loadConfig(path, surroundings)
  if (loaded.kind === 'config') return loaded.config
  throw new CommandFailure(
    `${counted(loaded.problems.length, 'problem')} in the configuration\n${formatProblems(loaded.problems, path).trimEnd()}`,
  )
}

/** What is wrong with a text, if it were in this file. */
export async function problemsOf(
  text: string,
  path: string | null,
  { surroundings }: Pick<Terminal, 'surroundings'>,
): Promise<readonly Problem[]> {
  const loaded = await loadConfigText(text, path, surroundings)
  return loaded.kind === 'config' ? [] : loaded.problems
}

/**
 * As `problemsOf`, of a text that somebody sent. Files that it names are not opened: whoever sent it would learn which are on this machine,
 * and one that never ends would be waited for.
 */
export const problemsOfSent = (
  text: string,
  path: string | null,
  { surroundings }: Pick<Terminal, 'surroundings'>,
): Promise<readonly Problem[]> => problemsOf(text, path, { surroundings: { ...surroundings, files: 'closed' } })
