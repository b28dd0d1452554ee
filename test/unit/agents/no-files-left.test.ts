import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { hasFilesLeft } from '../../../src/lib/index.ts'
import { withFewFiles } from '../../support/no-files.ts'
import { always, plain, rawServer } from '../../support/raw-server.ts'

const CHILD = join(import.meta.dir, 'no-files-child.ts')

test('a dial for which this process has no file left blames no backend, nor its name', async () => {
  await using server = await rawServer(always(plain('yes')))
  const child = Bun.spawn(withFewFiles(CHILD, String(server.port)), { stderr: 'inherit' })
  const unsent = {
    kind: 'unsent',
    reason: 'no_room',
    message: 'the gateway has as many files open as it may (ulimit -n)',
  }
  expect(JSON.parse(await child.stdout.text())).toEqual({ without: [unsent, unsent], withSome: ['ended', 'ended'] })
  expect(hasFilesLeft()).toBe(true)
})
