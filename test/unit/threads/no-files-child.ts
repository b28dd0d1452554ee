// Starts a thread while this process has nearly every file open that it may, and again when it has not. Tells what came of both.
import { closeSync } from 'node:fs'
import { startThread } from '../../../src/threads/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { openAllFiles } from '../../support/no-files.ts'
import type { EchoCalls } from './echo-thread.ts'

async function tried(): Promise<string> {
  try {
    const thread = startThread<EchoCalls, string>({
      spawn: () => new Worker(new URL('./echo-thread.ts', import.meta.url)),
      clock: fakeClock(),
      onEvent: () => {},
      onDeath: () => {},
    })
    return await thread.call('echo', 'started')
  } catch (error) {
    return String(error)
  }
}

const files = openAllFiles()
const without = await tried()
for (const file of files.splice(0, 15)) closeSync(file)
const withFew = await tried()
for (const file of files) closeSync(file)
console.log(JSON.stringify([without, withFew, await tried()]))
process.exit(0)
