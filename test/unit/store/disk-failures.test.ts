import { afterAll, expect, test } from 'bun:test'
import { chmodSync, chownSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withFewFiles } from '../../support/no-files.ts'
import { storeChild } from './process-kit.ts'
import { balanceOf, codeOf, fundedAccount, holdOf, settled, storeKit, tempFolder, topUp, until } from './store-kit.ts'

// What the system itself says no to. Failures that a test asks the writer for are in writer-failures.test.ts.

const CHILD = join(import.meta.dir, 'store-child.ts')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const newFolder = (): string => {
  const folder = tempFolder()
  folders.push(folder)
  return folder
}

/** The lines that a process says, one by one. */
async function* linesOf(out: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of out) {
    text += decoder.decode(part, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

test('no room for another byte: what was settled is written when there is room again, once', async () => {
  const folder = newFolder()
  const limited = `trap '' XFSZ; ulimit -S -f 600; exec "$0" "$1" "$2" fill` // blocks of 1,024 bytes
  const child = Bun.spawn(['bash', '-c', limited, process.execPath, CHILD, folder], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(child.stdout)
  expect((await lines.next()).value).toBe('ready')
  const [, count, accepting] = /^full (\d+) (\w+)$/.exec(String((await lines.next()).value)) ?? []
  expect(accepting).toBe('false')
  const lifted = Bun.spawnSync(['prlimit', '--pid', String(child.pid), '--fsize=unlimited'])
  expect(lifted.exitCode).toBe(0)
  expect((await lines.next()).value).toBe('written')
  expect(await child.exited).toBe(0)
  const kit = await storeKit({ dataFolder: folder })
  expect(await kit.store.reader.verify()).toMatchObject({ clean: true, settlements: Number(count) })
  expect(await balanceOf(kit.store)).toBe(1_000_000 - Number(count))
  await kit.store.close()
}, 60_000)

test('no file left that this process may open: what undoes a long step stays in memory', async () => {
  const folder = newFolder()
  const child = Bun.spawn(withFewFiles(CHILD, folder, 'no_files'), { stdout: 'pipe', stderr: 'inherit' })
  expect((await child.stdout.text()).trim().split('\n')).toEqual(['ready', 'written'])
  const kit = await storeKit({ dataFolder: folder })
  expect(await kit.store.reader.verify()).toMatchObject({ clean: true, entries: 501 })
  await kit.store.close()
}, 20_000)

test('a database that another process has locked: holds are refused, settlements wait for it', async () => {
  const kit = await storeKit()
  const { writer, reader } = kit.store
  await fundedAccount(kit.store)
  await writer.hold(holdOf('req_1'))
  const script = `
    const db = new (require('bun:sqlite').Database)(process.argv[1])
    db.run('BEGIN IMMEDIATE')
    console.log('locked')
    process.stdin.once('data', () => { db.run('ROLLBACK'); console.log('free'); process.exit(0) })`
  const other = Bun.spawn([process.execPath, '-e', script, join(kit.folder, 'ledger.db')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(other.stdout)
  expect((await lines.next()).value).toBe('locked')
  const ended = writer.settle(settled('req_1'))
  const refused = [codeOf(writer.hold(holdOf('req_2'))), codeOf(writer.enter(topUp(5)))]
  expect(await Promise.all(refused)).toEqual(['storage_unavailable', 'storage_unavailable'])
  expect(writer.accepting()).toBe(false)
  expect(await balanceOf(kit.store)).toBe(1_000_000)
  expect(kit.fatal).toEqual([])
  other.stdin.write('go\n')
  await other.stdin.end()
  expect((await lines.next()).value).toBe('free')
  kit.clock.advance(1000)
  await ended
  await until(
    async () => writer.accepting(),
    (accepting) => accepting,
  )
  expect(await balanceOf(kit.store)).toBe(999_700)
  expect(await reader.verify()).toMatchObject({ clean: true, settlements: 1, openHolds: 0 })
  expect(kit.log).toEqual(['commit_failed', 'ledger_resumed'])
  await kit.end()
}, 60_000)

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0 // whom no mode of a file stops

test('a ledger that may not be written: not opened, the file named, nothing changed; opened when it may be', async () => {
  const folder = newFolder()
  const kit = await storeKit({ dataFolder: folder })
  await fundedAccount(kit.store)
  await kit.store.writer.hold(holdOf('req_1'))
  await kit.store.close()
  const path = join(folder, 'ledger.db')
  const before = await Bun.file(path).bytes()
  if (isRoot) {
    chmodSync(dirname(folder), 0o711) // the runner's own folder is closed to others
    for (const name of ['.', 'ledger.db', 'records.db', 'lock.db']) chownSync(join(folder, name), NOBODY, NOBODY)
  }
  chmodSync(path, 0o444)
  const who = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  const child = Bun.spawn([...who, process.execPath, CHILD, folder, 'open'], { stdout: 'pipe', stderr: 'inherit' })
  const said = await child.stdout.text()
  expect(await child.exited).toBe(2)
  expect(said).toMatch(/^failed: \w+: .*\/ledger\.db may not be read and written by this user: /)
  expect(await Bun.file(path).bytes()).toEqual(before)
  chmodSync(path, 0o600)
  if (isRoot) for (const name of ['.', 'ledger.db', 'records.db', 'lock.db']) chownSync(join(folder, name), 0, 0)
  const { line, child: again } = await storeChild(folder, 'open')
  expect(line).toBe('ready')
  again.kill('SIGKILL')
  await again.exited
}, 60_000)
