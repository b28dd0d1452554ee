import { closeSync } from 'node:fs'
import { webhookSecretOwner } from '../../../src/accounts/index.ts'
import { money } from '../../../src/domain/index.ts'
import { systemClock, systemRandom } from '../../../src/lib/index.ts'
import { changeNote, FolderLocked, openStore, type Store } from '../../../src/store/index.ts'
import { FaultPanel } from '../../../src/store/sqlite/faults.ts'
import { openAllFiles } from '../../support/no-files.ts'
import { testVault } from '../../support/vault.ts'
import { breathe } from '../../support/wire.ts'
import { WEBHOOK_SECRET } from './process-kit.ts'
import { fundedAccount, holdOf, OFFER, settled, topUp } from './store-kit.ts'

// A process of its own, for what only a process can do: hold a lock, and die. Arguments: the data folder, what to do.
const [, , dataFolder = '', what = '', commitNotes] = process.argv
const faults = new FaultPanel()
const quiet = () => {}

// Nobody ends it when whoever began it is killed.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit(4)
}, 1000).unref()

/** Settles until the disk is full, then until all of it is written. */
async function fill({ writer, close }: Store): Promise<never> {
  const settles: Promise<void>[] = []
  while (writer.stats().failedCommits === 0) {
    settles.push(writer.settle(settled(`req_fill_${settles.length}`, 1)))
    await breathe()
  }
  console.log(`full ${settles.length} ${writer.accepting()}`)
  await Promise.all(settles)
  await close()
  console.log('written')
  process.exit(0)
}

/** Forgets many answers in one step while this process has every file open that it may. */
async function forgetWithoutFiles({ writer, close }: Store): Promise<never> {
  const noteOf = (at: number) => {
    const claim = {
      actor: 'a',
      idempotencyKey: `${(at * 7919) % 500}`,
      requestHash: 'h'.repeat(400),
      sealed: null,
      atMs: 5,
    }
    return changeNote({ actor: 'a', claim }, { atMs: 5, action: 'credits.top_up', subject: 's' })
  }
  await Promise.all(Array.from({ length: 500 }, (_, at) => writer.enter(topUp(1), noteOf(at))))
  const files = openAllFiles()
  await writer.forgetAnswers(6)
  for (const file of files) closeSync(file)
  await close()
  console.log('written')
  process.exit(0)
}

try {
  const store = await openStore({
    dataFolder,
    money: { crash: 'delivered' },
    clock: systemClock(),
    log: { info: quiet, warn: quiet, error: quiet },
    onFatal: () => process.exit(3),
    faults,
  })
  const { writer } = store
  if (commitNotes !== undefined) await faults.set({ commitNotes })
  if (what !== 'open' && what !== 'settle_more') await fundedAccount(store)
  if (what === 'holds') {
    await Promise.all([
      writer.hold(holdOf('req_far')),
      writer.hold(holdOf('req_new')),
      writer.hold(holdOf('req_low', 120)),
    ])
    writer.checkpoint('req_far', { offer: OFFER.offer, deliveredUnits: 50 })
    writer.checkpoint('req_low', { offer: OFFER.offer, deliveredUnits: 50 })
    await writer.enter(topUp(1))
  }
  if (what === 'low_before_commit' || what === 'low_after_commit') {
    const sealed = testVault(systemRandom()).seal(WEBHOOK_SECRET, webhookSecretOwner('acc_1'))
    const url = 'https://hooks.example/'
    await writer.setWebhook({ accountId: 'acc_1', url, lowBalance: money(1_000_000), sealed, updatedAtMs: 1 })
    await faults.set({ die: what === 'low_before_commit' ? 'before_commit' : 'after_commit' })
    console.log('ready')
    await writer.settle(settled('req_low', 777))
  }
  if (what === 'before_commit' || what === 'after_commit') {
    await writer.hold(holdOf('req_far'))
    writer.checkpoint('req_far', { offer: OFFER.offer, deliveredUnits: 50 })
    await writer.enter(topUp(1))
    await faults.set({ die: what })
    await writer.settle(settled('req_far', 777))
  }
  console.log('ready')
  if (what === 'fill') await fill(store)
  if (what === 'no_files') await forgetWithoutFiles(store)
  for (let round = 0; what === 'settle_on' || what === 'settle_more'; round++) {
    const ids = Array.from({ length: 200 }, (_, at) => `req_${process.pid}_${round}_${at}`)
    await Promise.all(ids.map((id) => writer.settle(settled(id, 1 + (round % 3)))))
  }
} catch (error) {
  console.log(error instanceof FolderLocked ? `locked: ${error.dataFolder}` : `failed: ${error}`)
  process.exit(2)
}
