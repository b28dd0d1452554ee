import type { Tree } from './read-tree.ts'

/** One thing that a machine can see about a tree. Why it is wanted stands in docs/ARCHITECTURE.md. */
export interface Rule {
  readonly name: string
  check(tree: Tree): Iterable<Finding>
}

export interface Finding {
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** A finding as it is printed. */
export const findingText = (rule: Rule, { file, line, reason }: Finding): string =>
  `${file}:${line} ${rule.name}: ${reason}`
