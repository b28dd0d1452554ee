import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { CommandFailure } from '../../../src/cli/exit.ts'
import { readSecret } from '../../../src/cli/read-secret.ts'
import { fakeTerminal } from '../../support/fake-terminal.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const terminal = fakeTerminal({ env: { ACME_KEY: ' sk-env ', EMPTY: '' }, stdin: 'sk-stdin\r\n' })

test('from a variable, a file, or stdin when nothing is named', async () => {
  using folder = temporaryFolder()
  const file = folder.at('secret')
  writeFileSync(file, 'sk-file\n')
  expect(await readSecret({ env: 'ACME_KEY' }, terminal)).toBe('sk-env')
  expect(await readSecret({ file }, terminal)).toBe('sk-file')
  expect(await readSecret({ file: '-' }, terminal)).toBe('sk-stdin')
  expect(await readSecret({}, terminal)).toBe('sk-stdin')
})

test.each([
  [{ env: 'NOBODY' }, 'the environment variable NOBODY is not set. Nothing was done.'],
  [{ env: 'EMPTY' }, 'the environment variable EMPTY is empty. Nothing was done.'],
  [{ env: 'constructor' }, 'this environment variable is not set. Nothing was done.'],
  [{ file: '/nowhere/secret' }, 'cannot be read from /nowhere/secret (ENOENT)'],
])('what is not there is a failure: %p', async (source, words) => {
  const failure = await readSecret(source, terminal).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(CommandFailure)
  expect(String(failure)).toContain(words)
})

test('a secret in the place of the variable’s name is not repeated', async () => {
  const failure = await readSecret({ env: 'sk-canary' }, terminal).catch((error: unknown) => error)
  expect(String(failure)).toContain('the name of an environment variable, not the secret itself')
  expect(String(failure)).not.toContain('canary')
})
