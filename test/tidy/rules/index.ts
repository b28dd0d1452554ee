import type { Rule } from '../rule.ts'
import { coverage } from './coverage.ts'
import { docComments } from './doc-comments.ts'
import { docs } from './docs.ts'
import { forbidden } from './forbidden.ts'
import { glossary } from './glossary.ts'
import { importTable } from './import-table.ts'
import { migrations } from './migrations.ts'
import { mirrorTests } from './mirror-tests.ts'
import { names } from './names.ts'
import { packages } from './packages.ts'
import { sizes } from './sizes.ts'
import { timeAndChance } from './time-and-chance.ts'
import { topLevel } from './top-level.ts'
import { units } from './units.ts'
import { verbs } from './verbs.ts'

/** All rules; number n is the n-th. */
export const RULES: readonly Rule[] = [
  importTable,
  verbs,
  packages,
  sizes,
  names,
  timeAndChance,
  forbidden,
  glossary,
  units,
  coverage,
  migrations,
  mirrorTests,
  docComments,
  topLevel,
  docs,
]
