import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(import.meta.dir, '../../../src/main.ts')

/** A process of its own, with an empty environment. */
async function spawn(...words: string[]) {
  const child = Bun.spawn([process.execPath, MAIN, ...words], {
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, said, complained }
}

test('an account, its credits and its key in a new folder; each exit code is the process’s', async () => {
  const home = mkdtempSync(join(tmpdir(), 'anyrouter-cli-'))
  const place = ['--data', join(home, 'data')]
  try {
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
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}, 20_000)
