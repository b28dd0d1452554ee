import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceDefects } from './source-defects.ts'

const ROOT = join(import.meta.dir, '../..')
const FAILED_TESTS = 1 // what bun ends with when a test failed
const TEST_MS_MAX = 60_000
const THEIR_TEST_MS_MAX = 15_000 // one defect is a test that never ends; less, and a slow machine would count as a defect that was found

describe('a seeded defect is found', () => {
  test.each(sourceDefects)(
    '$name',
    async ({ name, file, whole, foundBy }) => {
      expect(readFileSync(join(ROOT, file), 'utf8').split(whole)).toHaveLength(2)
      const preload = ['--preload', './test/property/seed-defect-child.ts']
      const child = Bun.spawn(
        [
          process.execPath,
          '--no-env-file',
          'test',
          ...preload,
          `./${foundBy}`,
          `--timeout=${THEIR_TEST_MS_MAX}`,
          '--bail',
        ],
        {
          cwd: ROOT,
          env: { ...process.env, ANYROUTER_DEFECT: name, ANYROUTER_RUNS: '60', ANYROUTER_SEED: '1' },
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: 'pipe',
        },
      )
      const said = await child.stderr.text()
      expect(said).toContain('(fail) ')
      expect(await child.exited).toBe(FAILED_TESTS)
    },
    TEST_MS_MAX,
  )
})
