import type { Tree } from '../read-tree.ts'
import { CONFIG_READERS, layerOf, roomOf } from '../rooms.ts'
import type { Finding, Rule } from '../rule.ts'

/** 1: who imports whom, through which door, and never in a circle. */
export const importTable: Rule = {
  name: 'imports',
  *check(tree) {
    const known = new Set(tree.paths)
    for (const file of tree.code) {
      const room = roomOf(file.path)
      for (const { path, specifier, line } of file.imports) {
        if (path === null) continue
        const reason = known.has(path)
          ? room === null
            ? null
            : refusal(room, path)
          : `${specifier} names no file (imports end in .ts)`
        if (reason !== null) yield { file: file.path, line, reason }
      }
    }
    yield* circles(tree)
  },
}

function refusal(room: string, path: string): string | null {
  const target = roomOf(path)
  if (target === null) return path === 'package.json' ? null : `src imports nothing from outside src (${path})`
  if (target === room) {
    return path === `src/${room}/index.ts` ? `inside a room import files directly, not its index (${path})` : null
  }
  const [layer, targetLayer] = [layerOf(room), layerOf(target)]
  if (layer === null) return `the room ${room} is not in the table of layers (test/tidy/rooms.ts)`
  if (targetLayer === null) return `the room ${target} is not in the table of layers (test/tidy/rooms.ts)`
  if (target === 'config' && !CONFIG_READERS.includes(room)) return `config is imported by app and cli alone`
  if (targetLayer >= layer) return `${room} may not import ${target}: imports point down`
  if (path !== `src/${target}/index.ts` && path !== `src/${target}.ts`) return `the way into ${target} is its index.ts`
  return null
}

/** One finding for each circle: at the import that closes it. */
function* circles(tree: Tree): Iterable<Finding> {
  const files = new Map(tree.code.map((file) => [file.path, file]))
  const done = new Set<string>()
  const trail: string[] = []
  function* visit(path: string): Iterable<Finding> {
    trail.push(path)
    for (const { path: next, line } of files.get(path)?.imports ?? []) {
      if (next === null || done.has(next) || !files.has(next)) continue
      const from = trail.indexOf(next)
      if (from >= 0) yield { file: path, line, reason: `a circle: ${[...trail.slice(from), next].join(' -> ')}` }
      else yield* visit(next)
    }
    trail.pop()
    done.add(path)
  }
  for (const path of files.keys()) if (!done.has(path)) yield* visit(path)
}
