import { ROOMS } from '../rooms.ts'
import type { Rule } from '../rule.ts'

/** What may stand in a folder: of the repository, of `src`, of `test`. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '': [
    'package.json',
    'package-lock.json',
    'bunfig.toml',
    'tsconfig.json',
    'biome.json',
    'knip.json',
    'src',
    'test',
    'migrations',
    'docs',
    'tools',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    '.ci',
    '.githooks',
    '.gitignore',
  ],
  'src/': ['main.ts', 'app.ts', ...ROOMS.filter((room) => room !== 'main')],
  'test/': [
    'unit',
    'wire',
    'property',
    'clients',
    'crash',
    'executable',
    'browser',
    'bench',
    'cases',
    'fuzz',
    'soak',
    'support',
    'fixtures',
    'tidy',
    'tidy.test.ts',
    'skips.json',
  ],
}

/** 14: nothing else on the top level, no room beside the rooms, no kind of test beside the kinds. */
export const topLevel: Rule = {
  name: 'top-level',
  *check({ paths }) {
    for (const [folder, allowed] of Object.entries(ENTRIES)) {
      const inside = paths.filter((path) => path.startsWith(folder))
      for (const path of inside) {
        const entry = path.slice(folder.length).split('/')[0] ?? ''
        if (!allowed.includes(entry)) yield { file: path, line: 1, reason: `${folder}${entry} has no place there` }
      }
    }
  },
}
