import { describe, expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const RUNNER = join(import.meta.dir, '../../../tools/test.ts')
const ROOT = join(import.meta.dir, '../../fixtures/runner')

async function run(...args: string[]): Promise<{ exitCode: number; output: string; lastLine: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    TMPDIR: tmpdir(),
    ANYROUTER_TEST_ROOT: ROOT,
    OPENAI_API_KEY: 'sk-leak',
    ANYROUTER_MARK: 'kept',
  }
  const child = Bun.spawn([process.execPath, RUNNER, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const output = await child.stdout.text()
  return { exitCode: await child.exited, output, lastLine: output.trimEnd().split('\n').at(-1) ?? '' }
}

describe('npm test', () => {
  test('passes when every test does, in an environment made from nothing', async () => {
    expect(await run('unit/passes')).toMatchObject({ exitCode: 0, lastLine: '1 passed, 0 failed' })
  })

  test.each([
    ['a test that fails', 'wire/fails', '1 passed, 1 failed', 'FAIL test/wire/fails.test.ts:4  around > fails'],
    ['a test that ends its process', 'wire/crashes', '0 passed, 1 failed', 'crashes.test.ts  ran no test'],
    [
      'a file that cannot be loaded',
      'wire/does-not',
      '0 passed, 1 failed',
      'ended with exit code 1, and no test says why',
    ],
    ['a file without a test', 'wire/empty', '0 passed, 1 failed', 'empty.test.ts  ran no test'],
    [
      'a skip that is not listed',
      'unit/skips',
      '0 passed, 1 failed, 1 skipped',
      'skips.test.ts  not listed: skipped, but',
    ],
    [
      'a folder that is left behind',
      'wire/leaves',
      '1 passed, 1 failed',
      'leaves.test.ts  left behind by it: anyrouter-',
    ],
    ['a filter that matches nothing', 'unit/nothing', '0 passed, 1 failed', ''],
  ])('fails for %s', async (_, filter, lastLine, line) => {
    const result = await run(filter)
    expect(result).toMatchObject({ exitCode: 1, lastLine })
    expect(result.output).toContain(line)
  })

  test('tells of each file that shares a process, of which each has a global object of its own', async () => {
    const result = await run('unit/group')
    expect(result).toMatchObject({ exitCode: 1, lastLine: '3 passed, 2 failed' })
    expect(result.output).toContain('FAIL test/unit/group/a-fails.test.ts:7  fails')
    expect(result.output).toContain('b-does-not-load.test.ts  ended with exit code 1, and no test says why')
  })

  test('counts over all files', async () => {
    expect(await run()).toMatchObject({ exitCode: 1, lastLine: '6 passed, 8 failed, 1 skipped' })
  })

  test('knows its lanes', async () => {
    expect((await run('--lane', 'no-such')).exitCode).toBe(1)
  })
})
