import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { policyText } from '../../../src/cli/policy-terms.ts'
import { runCommand } from '../../support/run-command.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const TEST_MS_MAX = 60_000 // each command opens the store anew

let home: TemporaryFolder
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => home[Symbol.dispose]())

/** One command on the folder itself: no server runs. */
const run = (words: readonly string[]) => runCommand([...words, '--data', home.at('data')])

test(
  'accounts: a policy is set, shown, changed; what is not named stays',
  async () => {
    const bound = ['--zdr', '--no-training', '--regions', 'ca,us-east', '--ownership', 'ca', '--allow-foreign']
    const made = JSON.parse((await run(['accounts', 'create', '--name', 'clinic', ...bound, '--json'])).said)
    expect(made).toMatchObject({
      zdr: true,
      allow_training: false,
      allow_foreign: true,
      regions: ['ca', 'us-east'],
      ownerships: ['ca'],
      only: null,
    })
    const { said } = await run(['accounts', 'update', 'clinic', '--no-zdr', '--regions', 'none', '--training'])
    expect(said).toMatch(/^policy +foreign; owners ca$/m)
    expect(said).toMatch(/^models +all$/m)
    expect(await run(['accounts', 'update', 'clinic'])).toMatchObject({ code: 2, said: '' })
  },
  TEST_MS_MAX,
)

test(
  'keys: the same; what is refused is said in words of the field',
  async () => {
    await run(['accounts', 'create', '--name', 'team'])
    const wish = ['keys', 'create', '--account', 'team', '--name', 'k', '--zdr', '--json']
    const { id, ...key } = JSON.parse((await run(wish)).said)
    expect(key).toMatchObject({ zdr: true, allow_foreign: false, allow_training: true, ownerships: null })
    const { said } = await run(['keys', 'update', id, '--allow-foreign', '--no-training', '--no-zdr'])
    expect(said).toMatch(/^policy +foreign; no training$/m)
    const refused = await run(['keys', 'update', id, '--ignore', 'nowhere'])
    expect(refused).toMatchObject({ code: 1, said: '' })
    expect(refused.complained).toContain("'ignore': there is no provider or backend 'nowhere'")
    expect((await run(['keys', 'update', id, '--regions', 'ca,,us'])).code).toBe(2)
    expect((await run(['keys', 'show', id])).said).toMatch(/^policy +foreign; no training$/m)
  },
  TEST_MS_MAX,
)

describe('policyText', () => {
  const open = {
    allow_foreign: false,
    regions: null,
    ownerships: null,
    zdr: false,
    allow_training: true,
    only: null,
    ignore: null,
  }

  test('names what is bound, and none where nothing is', () => {
    expect(policyText(open)).toBe('none')
    expect(policyText({ ...open, zdr: true, only: ['a', 'b'], ignore: ['c'], regions: ['ca'] })).toBe(
      'regions ca; zdr; only a,b; ignore c',
    )
  })
})
