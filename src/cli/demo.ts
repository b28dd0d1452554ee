import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Prepared } from '../app.ts'
import { type Demo, startDemo } from '../demo/index.ts'
import { adminInside } from './client.ts'
import type { Terminal } from './terminal.ts'

/** The demo's fixed key; it is accepted from loopback alone. */
export const DEMO_SECRET = 'sk-ar-v1-demo'
export const DEMO_ACCOUNT = 'demo'
const DEMO_USD = '5.00'

export interface DemoGround extends Demo {
  /** Empty, for this process alone, removed when it exits. */
  readonly dataFolder: string
}

/** Starts the simulated providers and makes a data folder that does not outlive this process. */
export function demoGround({ clock, random, onExit }: Terminal): DemoGround {
  const dataFolder = mkdtempSync(join(tmpdir(), 'anyrouter-demo-'))
  onExit(() => rmSync(dataFolder, { recursive: true, force: true }))
  return { ...startDemo({ clock, random }), dataFolder }
}

/** Makes the prepaid account `demo`, with $5.00 and the fixed key. Before anybody is served: who comes first knows the key, too. */
export async function openDemoAccount({ house, admin: handler }: Prepared): Promise<void> {
  const admin = adminInside(handler)
  const made = created.parse(await admin('POST', '/accounts', { name: DEMO_ACCOUNT, kind: 'prepaid' }))
  await admin('POST', '/credits', { account: made.id, usd: DEMO_USD, kind: 'top_up', note: 'the demo' })
  await house.accounts.createKey({ accountId: made.id, name: 'demo', models: null, secret: DEMO_SECRET })
}

const created = z.object({ id: z.string() })
