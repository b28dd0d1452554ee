import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/async'
import { type Comment, commentsOf } from './comments.ts'
import { type Export, exportsOf } from './exports.ts'
import { type Import, importsOf } from './imports.ts'

/** A TypeScript file, parsed once. */
export interface CodeFile {
  /** From the root of the repository, with slashes. */
  readonly path: string
  readonly text: string
  readonly ast: SourceFile
  /** Every node, parents before their children. */
  readonly nodes: readonly Node[]
  readonly imports: readonly Import[]
  readonly exports: readonly Export[]
  readonly comments: readonly Comment[]
  /** The line of a node's first token, from 1. */
  line(node: Node): number
  lineAt(position: number): number
}

/** What the rules are checked against. */
export interface Tree {
  readonly root: string
  /** Every file that git tracks or would track. */
  readonly paths: readonly string[]
  /** What the `tsconfig.json` of the root includes. */
  readonly code: readonly CodeFile[]
  text(path: string): string
}

/** Reads a repository, or a folder laid out like one. Parses with the compiler itself, whose syntax tree needs no second parser. */
export async function readTree(root: string): Promise<Tree> {
  const api = new API({ cwd: root })
  try {
    const config = join(root, 'tsconfig.json')
    const snapshot = await api.updateSnapshot({ openProjects: [config] })
    const project = snapshot.getProject(config)
    if (project === undefined) throw new Error(`no project at ${config}`)
    const code: CodeFile[] = []
    for (const file of project.rootFiles) {
      const ast = await project.program.getSourceFile(file)
      if (ast === undefined) throw new Error(`${file} could not be parsed`)
      code.push(codeFile(relative(root, file), ast))
    }
    const text = (path: string) => readFileSync(join(root, path), 'utf8')
    return { root, paths: listPaths(root), code: code.toSorted((one, other) => (one.path < other.path ? -1 : 1)), text }
  } finally {
    await api.close()
  }
}

function codeFile(path: string, ast: SourceFile): CodeFile {
  const nodes: Node[] = []
  const visit = (node: Node): undefined => {
    nodes.push(node)
    node.forEachChild(visit)
  }
  ast.forEachChild(visit)
  const lineAt = (position: number) => ast.getLineAndCharacterOfPosition(position).line + 1
  const line = (node: Node) => lineAt(node.getStart(ast))
  return {
    path,
    text: ast.text,
    ast,
    nodes,
    imports: importsOf(path, nodes, line),
    exports: exportsOf(ast, line),
    comments: commentsOf(ast.text, nodes, lineAt),
    line,
    lineAt,
  }
}

function listPaths(root: string): string[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root })
  if (!listed.success) throw new Error(`git ls-files: ${listed.stderr}`)
  const paths = listed.stdout
    .toString()
    .split('\0')
    .filter((path) => path !== '')
  return [...new Set(paths)].filter((path) => existsSync(join(root, path))).sort()
}
