import { openSync } from 'node:fs'

/** The words of a command that runs a script of Bun's which may have so few files open that it can have them all. */
export const withFewFiles = (script: string, ...words: readonly string[]): string[] => [
  'sh',
  '-c',
  'ulimit -n 128 && exec "$@"',
  'sh',
  process.execPath,
  script,
  ...words,
]

/** Opens every file that this process may open still: they are its caller's, to be closed. */
export function openAllFiles(): number[] {
  const files: number[] = []
  try {
    for (;;) files.push(openSync('/dev/null', 'r'))
  } catch {
    return files
  }
}
