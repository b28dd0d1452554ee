import type { Command } from 'commander'

const JSON_FLAG = '--json'

/**
 * The words with a `--json` that stands before the command's name moved behind it: people write it anywhere, commander knows an option of
 * a command behind its name alone.
 */
export function jsonLast(words: readonly string[], program: Command): readonly string[] {
  let command = program
  let nameAt = -1
  let isValue = false
  for (const [at, word] of words.entries()) {
    if (isValue) isValue = false
    else if (word.startsWith('-')) isValue = takesValue(program, word)
    else {
      const inner = command.commands.find((other) => other.name() === word)
      if (inner === undefined) break
      command = inner
      nameAt = at
    }
  }
  const before = words.slice(0, nameAt + 1)
  const others = before.filter((word) => word !== JSON_FLAG)
  return others.length === before.length ? words : [...others, JSON_FLAG, ...words.slice(nameAt + 1)]
}

const takesValue = (program: Command, word: string): boolean =>
  program.options.some((option) => option.long === word && option.required)
