import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runCommand } from '../../support/run-command.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const TEST_MS_MAX = 60_000 // each command opens the store anew

let home: TemporaryFolder
beforeEach(async () => {
  home = temporaryFolder()
  expect((await run(['accounts', 'create', '--name', 'team'])).code).toBe(0)
})
afterEach(() => home[Symbol.dispose]())

/** One command on the folder itself: no server runs. */
const run = (words: readonly string[]) => runCommand([...words, '--data', home.at('data')])

test(
  'what a key may do: set, shown, changed, taken away with none',
  async () => {
    const terms = ['--rpm', '60', '--tpm', '1000', '--concurrency', '2', '--budget-day', '5', '--budget-total', '20.5']
    const where = ['--addresses', '10.0.0.0/8, ::1', '--expires', '2099-01-01']
    const wish = ['keys', 'create', '--account', 'team', '--name', 'n', ...terms, ...where, '--json']
    const { id, secret, ...made } = JSON.parse((await run(wish)).said)
    expect(secret).toStartWith('sk-ar-v1-')
    expect(made).toMatchObject({
      models: null,
      addresses: ['10.0.0.0/8', '::1'],
      budget_total_usd: '20.50',
      budget_day_usd: '5.00',
      budget_week_usd: null,
      expires_at_ms: Date.UTC(2099, 0, 1),
      requests_per_minute: 60,
    })
    const changed = await run(['keys', 'update', id, '--rpm', 'none', '--budget-day', 'none', '--name', 'm'])
    expect(changed.said).toMatch(/^limits +1000 tpm, 2 at once$/m)
    expect(changed.said).toMatch(/^budgets +\$20\.50\/total$/m)
    expect(changed.said).toMatch(/^name +m$/m)
    const shown = await run(['keys', 'show', id])
    expect(shown.said).toMatch(/^expires +2099-01-01T00:00:00\.000Z$/m)
    expect(shown.said).toMatch(/^spent today +\$0\.00$/m)
    expect((await run(['keys', 'list'])).said).toMatch(new RegExp(`^${id} +team +m +sk-ar-v1-`, 'm'))
  },
  TEST_MS_MAX,
)

test(
  'what is refused is said in words of the field, and changes nothing',
  async () => {
    const { id } = JSON.parse((await run(['keys', 'create', '--account', 'team', '--name', 'n', '--json'])).said)
    for (const [words, complaint] of [
      [['--addresses', '10.0.0.0/33'], "'addresses' must be addresses or ranges in CIDR notation"],
      [['--budget-day', '-1'], "'budget_day_usd' must be dollars in decimal"],
    ] as const) {
      const { code, said, complained } = await run(['keys', 'update', id, ...words])
      expect({ code, said }).toEqual({ code: 1, said: '' })
      expect(complained).toContain(complaint)
    }
    expect((await run(['keys', 'update', 'key_none', '--name', 'x'])).complained).toContain("no key 'key_none'")
    expect((await run(['keys', 'show', id])).said).toMatch(/^budgets +none$/m)
  },
  TEST_MS_MAX,
)

test(
  'an account is renamed, disabled and enabled',
  async () => {
    expect((await run(['accounts', 'update', 'team', '--name', 'crew'])).said).toMatch(/^name +crew$/m)
    expect((await run(['accounts', 'disable', 'crew'])).said).toMatch(/^state +disabled$/m)
    expect((await run(['accounts', 'enable', 'crew'])).said).toMatch(/^state +active$/m)
    expect((await run(['accounts', 'disable', 'team'])).code).toBe(1)
  },
  TEST_MS_MAX,
)
