import { money } from '../../src/domain/index.ts'
import { IDS, type World, wait } from './life-world.ts'

/** More than was charged is refused; twice what was charged is never given back. */
export function refund(world: World, { nth, amount }: { nth: number; amount: number }): void {
  const ids = [...world.chargedOnDisk.keys()]
  const requestId = ids[nth % ids.length]
  if (requestId === undefined) return
  const accountId = IDS[world.payers.get(requestId)?.account ?? 0] ?? ''
  const fields = { kind: 'refund', accountId, amount: money(amount), note: null, actor: 'local:0', atMs: 0 } as const
  wait(world.session, world.session.ledger.enter({ ...fields, requestId }), ({ seq }) =>
    world.entriesOnDisk.set(seq, amount),
  )
}

export function grant(world: World, { amount, lifeMs }: { amount: number; lifeMs: number }): void {
  const { ledger, clock } = world.session
  const atMs = clock.wallMs()
  const fields = { kind: 'promo_grant', accountId: IDS[0] ?? '', amount: money(amount), note: null } as const
  const entry = { ...fields, actor: 'local:0', atMs, expiresAtMs: atMs + lifeMs }
  wait(world.session, ledger.enter(entry), ({ seq }) => world.entriesOnDisk.set(seq, amount))
}

export async function endLots({ session }: World): Promise<void> {
  const { store, ledger, clock } = session
  if (session.isDead) return
  const due = await store.reader.lotsDue(clock.wallMs(), { limit: 100, after: null })
  wait(session, ledger.endLots(due), () => {})
}
