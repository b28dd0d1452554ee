import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { runCommand } from '../../support/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const run = (words: readonly string[], env: Record<string, string> = {}) => runCommand(words, { env })

const CONFIG = `
providers:
  acme:
    credentials: [{ id: main, env: ACME_API_KEY }]
    backends:
      acme-ca: { url: "http://127.0.0.1:9/v1", region: ca }
      acme-us: { url: "http://127.0.0.1:10/v1" }
models:
  acme/small:
    context: 128000
    offers:
      - { backend: acme-ca, as: small-2026, price: { input: "0.15", output: "0.60" } }
      - { backend: acme-us }
aliases: { small: acme/small }
`

describe('wrong usage exits with 2, and says what was meant', () => {
  test.each([
    [['serve', '--prot', '1'], 'Did you mean --port?'],
    [['--prot', '1'], "unknown option '--prot'"],
    [['srve'], 'Did you mean serve?'],
    [['xyzzy'], 'Commands: serve, init, check, reload, accounts'],
    [['accounts', 'creat'], 'Did you mean create?'],
    [['accounts'], 'create [options]'],
    [['accounts', 'create'], "required option '--name <name>' not specified"],
    [['backends', 'show', ''], "'' names nothing"],
    [['accounts', 'show', 'a', 'b'], 'too many arguments'],
    [['credits', 'adjust', '--account', 'a', '--usd', '-1.00'], "required option '--note <text>' not specified"],
    [['serve', '--port', '65536'], 'A port is a number from 0 to 65535.'],
    [['serve', '--port', '80x'], 'A port is a number from 0 to 65535.'],
    [['serve', '--log-level', 'loud'], 'Allowed choices are info'],
    [['serve', '--demo', '--config', 'x.yaml'], 'leave out --config and --data'],
    [['serve', '--demo', '--data', 'x'], 'leave out --config and --data'],
    [['keys', 'create', '--account', 'a', '--name', 'n', '--models', 'a,,b'], 'Separate them by single commas.'],
    [['keys', 'create', '--account', 'a', '--name', 'n', '--rpm', '0'], 'Write a whole number from 1.'],
    [['keys', 'update', 'key_1'], 'nothing to change'],
    [['route', '--model', 'm', '--account', 'a', '--key', 'k'], '--account or --key'],
  ])('%p', async (words, complaint) => {
    const { code, said, complained } = await run(words)
    expect(complained).toContain(complaint)
    expect({ code, said }).toEqual({ code: 2, said: '' })
  })
})

describe('help and version', () => {
  test('every command stands in the operator’s table', async () => {
    const help = (await run(['--help'])).said.split('Commands:')[1] ?? ''
    const commands = [...help.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name)
    expect(commands).toContain('serve')
    const table = readFileSync(join(import.meta.dir, '../../../docs/operating/README.md'), 'utf8')
    const told = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([a-z-]+)`/g)])
    const names = new Set(told.map(([, name]) => name))
    expect(commands.filter((name) => name !== 'help' && !names.has(name))).toEqual([])
  })

  test.each([['--version'], ['version']])('%s', async (word) => {
    expect(await run([word])).toEqual({ code: 0, said: `anyrouter ${manifest.version}\n`, complained: '' })
  })

  test('version --json', async () => {
    expect(JSON.parse((await run(['version', '--json'])).said)).toEqual({ version: manifest.version })
  })

  test('help of a command names the options that every command has', async () => {
    const { code, said } = await run(['keys', 'create', '--help'])
    expect(code).toBe(0)
    expect(said).toContain('--models <list>')
    expect(said).toContain('--data <folder>')
  })
})

describe('check', () => {
  test('tells what a configuration means, and never a secret', async () => {
    using home = temporaryFolder()
    const path = join(home.path, 'anyrouter.yaml')
    writeFileSync(path, CONFIG)
    const { code, said } = await run(['check', '--config', path], { ACME_API_KEY: 'sk-very-secret' })
    expect(code).toBe(0)
    expect(said).toContain(`${path} can be used: listens on 127.0.0.1:8080, 2 backends, 1 model.`)
    expect(said).toMatch(/^acme-ca +acme +http:\/\/127\.0\.0\.1:9\/v1 +ca +64 +main +enabled$/m)
    expect(said).toMatch(/^acme\/small +acme-ca +small-2026 +\$0\.15 \/ \$0\.60 +enabled$/m)
    expect(said).toContain('for unmetered accounts only: acme-us/acme/small')
    const json = (await run(['check', '--config', path, '--json'], { ACME_API_KEY: 'sk-very-secret' })).said
    expect(JSON.parse(json)).toMatchObject({ valid: true, backends: [{ id: 'acme-ca', credentials: ['main'] }, {}] })
    expect(said + json).not.toContain('sk-very-secret')
  })

  test('names file, line, path and reason of what is wrong, and exits with 1', async () => {
    using home = temporaryFolder()
    const path = join(home.path, 'anyrouter.yaml')
    writeFileSync(path, 'server:\n  prot: 1\n')
    const { code, complained, said } = await run(['check', '--config', path])
    expect({ code, said }).toEqual({ code: 1, said: '' })
    expect(complained).toStartWith('anyrouter: 1 problem in the configuration\n')
    expect(complained).toContain(`${path}:2:3  server.prot`)
    expect(complained).toContain("Did you mean 'port'?")
  })
})

describe('without a server', () => {
  test('a folder that is not there is never made by a slip of the pen', async () => {
    using home = temporaryFolder()
    const data = join(home.path, 'tpyo')
    const { code, complained } = await run(['accounts', 'list', '--data', data])
    expect(code).toBe(1)
    expect(complained).toContain(`there is no data folder ${data}`)
  })

  test('nor is a folder of something else made one: neither by a command nor by doctor', async () => {
    using home = temporaryFolder()
    for (const words of [
      ['accounts', 'list'],
      ['backup'],
      ['ledger', 'verify'],
      ['credits', 'history', '--account', 'a'],
    ]) {
      const { code, complained } = await run([...words, '--data', home.path])
      expect([code, complained]).toEqual([1, expect.stringContaining(`there is no ledger in ${home.path}: `)])
    }
    const { code, said } = await run(['doctor', '--data', home.path])
    expect(code).toBe(0)
    expect(said).toContain(`there is no ledger in ${home.path}`)
    expect(readdirSync(home.path)).toEqual([])
  })

  test('no secret of a provider is needed', async () => {
    using home = temporaryFolder()
    const path = join(home.path, 'anyrouter.yaml')
    const file = '{ id: spare, file: ./nowhere }'
    writeFileSync(path, `presets: [groq]\n${CONFIG.replace('ACME_API_KEY }', `ACME_API_KEY }, ${file}`)}`)
    const place = ['--data', join(home.path, 'data'), '--config', path]
    expect(await run(['accounts', 'create', '--name', 'team', ...place])).toMatchObject({ code: 0 })
    expect((await run(['backends', 'list', ...place])).said).toMatch(/^acme-ca .*^acme-us .*^groq /ms)
    expect((await run(['check', '--config', path])).complained).toContain('3 problems in the configuration')
  }, 60_000)

  test('a key for some models, the plan it gets, and its end', async () => {
    using home = temporaryFolder()
    const path = join(home.path, 'anyrouter.yaml')
    writeFileSync(path, CONFIG)
    const env = { ACME_API_KEY: 'sk-x' }
    const place = ['--data', join(home.path, 'data'), '--config', path]
    expect((await run(['accounts', 'create', '--name', 'team', ...place], env)).code).toBe(0)
    const wish = ['keys', 'create', '--account', 'team', '--name', 'n', ...place]
    const refused = await run([...wish, '--models', 'acme/large'], env)
    expect(refused.code).toBe(1)
    expect(refused.complained).toContain('acme/large')
    const made = JSON.parse((await run([...wish, '--models', 'small', '--json'], env)).said)
    expect(made.models).toEqual(['acme/small'])
    expect(made.secret).toMatch(/^sk-ar-v1-\w{43}$/)

    const plan = await run(['route', '--model', 'small', '--key', made.id, ...place], env)
    expect(plan.said).toMatch(/^1 +acme-ca +small-2026 +\$0\.15 \/ \$0\.60/m)
    expect(plan.said).toMatch(/^acme-us +priced +/m)
    expect(plan.complained).toContain('no server runs on')

    const body = join(home.path, 'request.json')
    writeFileSync(body, JSON.stringify({ model: 'anyrouter/auto', messages: [{ role: 'user', content: 'Hello' }] }))
    const whole = await run(['route', '--body', body, '--key', made.id, ...place], env)
    expect(whole.said).toStartWith('anyrouter/auto')
    expect(whole.said).toMatch(/^acme-ca +unaffordable +needs /m)
    expect(whole.said).toContain('The caller would get 402 insufficient_credits: ')
    writeFileSync(body, '{')
    expect(await run(['route', '--body', body, ...place], env)).toMatchObject({ code: 1, said: '' })
    expect((await run(['route', ...place], env)).code).toBe(2)

    const models = await run(['models', ...place], env)
    expect(models.said).toMatch(/^acme\/small +acme-ca +small-2026 +\$0\.15 \/ \$0\.60 +128000 +- +enabled +small$/m)
    expect((await run(['models', 'list', ...place], env)).said).toBe(models.said)
    expect(models.said).toMatch(/^anyrouter\/auto +needs +all +acme\/small$/m)
    const only = (await run(['models', 'show', 'small', ...place], env)).said
    expect(models.said).toStartWith(`${only}\n`) // before the routers
    const router = await run(['models', 'show', 'anyrouter/auto', ...place], env)
    expect(router.said).toMatch(/^anyrouter\/auto +needs +all +acme\/small$/m)
    const shown = JSON.parse((await run(['models', 'show', 'acme/small', '--json', ...place], env)).said)
    expect(JSON.parse((await run(['models', '--json', ...place], env)).said).data).toEqual([shown])
    const unknown = await run(['models', 'show', 'acme/smal', ...place], env)
    expect(unknown).toMatchObject({ code: 1, said: '' })
    expect(unknown.complained).toContain("there is no model 'acme/smal': did you mean 'acme/small'?")

    expect((await run(['keys', 'revoke', made.id, ...place], env)).said).toMatch(/^state +revoked$/m)
    const keys = await run(['keys', 'list', ...place], env)
    expect(keys.said).toMatch(/n +sk-ar-v1-\w+… +acme\/small +never +any +none +none +none +revoked$/m)
    expect(keys.said).not.toContain(made.secret)
  }, 60_000)

  test('credits go up and down; the history is newest first', async () => {
    using home = temporaryFolder()
    const place = ['--data', join(home.path, 'data')]
    await run(['accounts', 'create', '--name', 'team', ...place])
    const account = ['--account', 'team', ...place]
    expect((await run(['credits', 'add', '--usd', '5.00', ...account])).said).toMatch(/^balance +\$5\.00$/m)
    expect((await run(['credits', 'adjust', '--usd', '-1.00', '--note', 'oops', ...account])).said).toMatch(
      /^amount +-\$1\.00$/m,
    )
    const refused = await run(['credits', 'add', '--usd', '5,00', ...account])
    expect({ code: refused.code, said: refused.said }).toEqual({ code: 1, said: '' })
    expect(refused.complained).toContain("'usd' must be dollars in decimal")
    const rows = (await run(['credits', 'history', ...account])).said.trimEnd().split('\n')
    expect(rows[0]).toMatch(/^SEQ +TIME +KIND +AMOUNT +BALANCE +ACTOR +NOTE$/)
    expect(rows[1]).toMatch(/adjustment +-\$1\.00 +\$4\.00 +local:test +oops$/)
    expect(rows[2]).toMatch(/top_up +\$5\.00 +\$5\.00 +local:test$/)
    expect(rows).toHaveLength(3)
  }, 60_000)
})
