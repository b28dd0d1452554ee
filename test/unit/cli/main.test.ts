import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MAIN = join(import.meta.dir, '../../../src/main.ts')

/** A process of its own, with an empty environment. */
const spawn = (...words: string[]) => spawnAs([], ...words)

/** As somebody else: by the words of a command that becomes him first. */
async function spawnAs(who: readonly string[], ...words: string[]) {
  const child = Bun.spawn([...who, process.execPath, MAIN, ...words], {
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, said, complained }
}

test('an account, its credits and its key in a new folder; each exit code is the process’s', async () => {
  using home = temporaryFolder()
  const place = ['--data', home.at('data')]
  expect(await spawn('accounts', 'create', '--name', 'team', ...place)).toMatchObject({ code: 0 })
  expect(await spawn('credits', 'add', '--account', 'team', '--usd', '5.00', ...place)).toMatchObject({ code: 0 })
  const key = await spawn('keys', 'create', '--account', 'team', '--name', 'laptop', '--json', ...place)
  expect(JSON.parse(key.said).secret).toMatch(/^sk-ar-v1-\w{43}$/)
  const accounts = await spawn('accounts', 'list', ...place)
  expect(accounts.said).toMatch(/^acc_\w+ +team +prepaid +active +\$5\.00 +\$0\.00 +\$5\.00$/m)
  const verify = await spawn('ledger', 'verify', ...place)
  expect(verify).toMatchObject({ code: 0, said: expect.stringContaining('1 account, 1 entry, 0 settlements') })
  expect(await spawn('accounts', 'show', 'nobody', ...place)).toMatchObject({ code: 1, said: '' })
  expect(await spawn('accounts', 'shwo', ...place)).toMatchObject({ code: 2, said: '' })
}, 60_000)

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0 // whom no mode of a folder stops

test('a folder that this user may not enter: no command takes it for one without a server', async () => {
  using home = temporaryFolder()
  const data = home.at('data')
  mkdirSync(data, { mode: isRoot ? 0o700 : 0o000 })
  for (const folder of [home.path, dirname(home.path)]) chmodSync(folder, statSync(folder).mode | 0o011)
  const who = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  const why = `${data} may not be read and written by this user: run this as its owner (sudo -u), `
  for (const words of [['reload'], ['backup'], ['serve', '--port', '0']]) {
    const { code, said, complained } = await spawnAs(who, ...words, '--data', data)
    expect({ code, said, complained }).toEqual({ code: 1, said: '', complained: expect.stringContaining(why) })
  }
  const doctor = await spawnAs(who, 'doctor', '--data', data)
  expect({ code: doctor.code, said: doctor.said }).toEqual({
    code: 1,
    said: expect.stringMatching(/^FAIL +socket +\S+ may not/m),
  })
  if (!isRoot) chmodSync(data, 0o700)
}, 60_000)

test('the demo sends its sample to itself, whatever proxy the environment names', async () => {
  const child = Bun.spawn([process.execPath, MAIN, 'serve', '--demo', '--port', '0'], {
    env: { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  let isStopping = false
  for await (const bytes of child.stdout) {
    said += new TextDecoder().decode(bytes)
    if (!isStopping && said.includes('Ctrl-C drains')) {
      isStopping = true
      child.kill('SIGTERM')
    }
  }
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ''])
  expect(said).toMatch(/^ {4}200 {2}"Hello from/m)
}, 20_000)
