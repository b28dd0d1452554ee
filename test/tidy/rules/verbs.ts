import type { CodeFile } from '../read-tree.ts'
import type { Rule } from '../rule.ts'

const VERBS = ['receive', 'warm', 'authenticate', 'admit', 'prepare', 'route', 'reserve', 'dispatch', 'relay', 'settle']

/** 2: no verb imports a verb, neither directly nor through a helper: only `run` knows the order. `timing` is no verb. */
export const verbs: Rule = {
  name: 'verbs',
  *check({ code }) {
    const files = new Map(code.map((file) => [file.path, file]))
    for (const file of code) {
      const verb = verbOf(file.path)
      if (verb === null) continue
      for (const { path, line } of file.imports) {
        if (path === null) continue
        const chain = chainToOtherVerb(verb, path, files, new Set())
        if (chain === null) continue
        const through = chain.length > 1 ? ` (${chain.join(' -> ')})` : ''
        yield { file: file.path, line, reason: `${verb} imports ${verbOf(chain.at(-1) ?? '')}${through}` }
      }
    }
  },
}

function verbOf(path: string): string | null {
  const name = /^src\/pipeline\/([^/.]+)[/.]/.exec(path)?.[1]
  return name !== undefined && VERBS.includes(name) ? name : null
}

/** The files from `path` to one of another verb, through files of the pipeline that are no verb's. */
function chainToOtherVerb(
  verb: string,
  path: string,
  files: ReadonlyMap<string, CodeFile>,
  seen: Set<string>,
): string[] | null {
  if (seen.has(path) || !path.startsWith('src/pipeline/')) return null
  seen.add(path)
  const target = verbOf(path)
  if (target !== null) return target === verb ? null : [path]
  for (const { path: next } of files.get(path)?.imports ?? []) {
    const rest = next === null ? null : chainToOtherVerb(verb, next, files, seen)
    if (rest !== null) return [path, ...rest]
  }
  return null
}
