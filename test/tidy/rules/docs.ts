import { posix } from 'node:path'
import type { Tree } from '../read-tree.ts'
import type { Finding, Rule } from '../rule.ts'

const LINK = /\[[^\]]*\]\(([^)\s]+)[^)]*\)/g
const SCRIPT = /\bnpm (?:run(?:-script)? ([\w:-]+)|(start|test)\b)/g
const SCRIPT_FILE = /\b(?:tools|test|src)\/[\w./-]+\.tsx?\b/g

/** 15: what the documents point at is there: files, headings, npm scripts; and the files that the scripts start. */
export const docs: Rule = {
  name: 'docs',
  *check(tree) {
    const manifest: { scripts?: Readonly<Record<string, string>> } = tree.paths.includes('package.json')
      ? JSON.parse(tree.text('package.json'))
      : {}
    const scripts = manifest.scripts ?? {}
    for (const path of tree.paths) {
      if (/^(?:[^/]+|docs\/.*)\.md$/.test(path)) yield* inDocument(tree, path, scripts)
    }
    for (const [name, command] of Object.entries(scripts)) {
      for (const [file] of command.matchAll(SCRIPT_FILE)) {
        if (!tree.paths.includes(file)) yield { file: 'package.json', line: 1, reason: `${name}: there is no ${file}` }
      }
    }
  },
}

function* inDocument(tree: Tree, path: string, scripts: Readonly<Record<string, string>>): Iterable<Finding> {
  for (const [at, text] of tree.text(path).split('\n').entries()) {
    for (const [, link = ''] of text.matchAll(LINK)) {
      const reason = brokenLink(tree, path, link)
      if (reason !== null) yield { file: path, line: at + 1, reason }
    }
    for (const [, run, word = run] of text.matchAll(SCRIPT)) {
      if (word !== undefined && scripts[word] === undefined) {
        yield { file: path, line: at + 1, reason: `there is no script ${word} in package.json` }
      }
    }
  }
}

function brokenLink(tree: Tree, from: string, link: string): string | null {
  if (/^[a-z]+:/i.test(link)) return null
  const [target = '', anchor] = link.split('#')
  const path = target === '' ? from : posix.join(posix.dirname(from), target).replace(/\/$/, '')
  if (!tree.paths.some((known) => known === path || known.startsWith(`${path}/`))) return `there is no ${path}`
  if (anchor === undefined || !path.endsWith('.md')) return null
  const headings = tree.text(path).match(/^#+ .*$/gm) ?? []
  return headings.some((heading) => slug(heading) === anchor) ? null : `${path} has no heading #${anchor}`
}

/** The anchor that code hosts give a heading. */
const slug = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
