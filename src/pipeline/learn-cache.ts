import { type CoveredOffer, modelOfOffer, promptTokens, type Usage } from '../domain/index.ts'
import type { Call } from './call.ts'
import type { House } from './house.ts'

/** Notes how much of its prompt the session's provider keeps, by its own report: all of it, where it has written or read any of it. */
export function learnCache(
  { health }: Pick<House, 'health'>,
  { session, accountId, keepsNothing }: Call,
  { offer, backend }: CoveredOffer,
  usage: Usage,
): void {
  if (session === null || accountId === null) return
  const isKept = usage.cachedInput + usage.cacheWrite + (usage.cacheWriteLong ?? 0) > 0
  const name = { accountId, session: session.id, model: modelOfOffer(offer), isUnwritten: keepsNothing }
  health.sessions.cached(name, backend, isKept ? promptTokens(usage) : 0)
}
