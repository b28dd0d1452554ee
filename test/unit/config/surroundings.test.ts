import { expect, test } from 'bun:test'
import { loadConfig, readEnvironment, systemSurroundings } from '../../../src/config/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('the environment is a copy', () => {
  const name = 'ANYROUTER_TEST_COPY'
  const before = readEnvironment()
  process.env[name] = 'x'
  expect(before[name]).toBeUndefined()
  expect(readEnvironment()[name]).toBe('x')
  delete process.env[name]
})

test('files are read up to a bound; folders and missing files are told in words', async () => {
  using folder = temporaryFolder()
  const file = folder.at('any.yaml')
  await Bun.write(file, 'server: { port: 1234 }\n')
  const { readFile } = systemSurroundings()
  expect(new TextDecoder().decode(await readFile(file, 6))).toBe('server')
  expect(await loadConfig(file, systemSurroundings())).toMatchObject({
    kind: 'config',
    config: { server: { port: 1234 } },
  })
  expect(await loadConfig(folder.path, systemSurroundings())).toMatchObject({
    problems: [{ reason: 'the configuration cannot be used: it is a folder' }],
  })
  expect(await loadConfig(`${file}x`, systemSurroundings())).toMatchObject({
    problems: [
      {
        reason: 'the configuration cannot be used: there is no such file',
        suggestion: 'Name the file with --config FILE.',
      },
    ],
  })
})
