import type { AnyElysia } from 'elysia'
import type { Accounts } from '../../accounts/index.ts'
import type { AddressRange } from '../../lib/index.ts'
import type { House } from '../../pipeline/index.ts'
import type { Store } from '../../store/index.ts'
import type { Vault } from '../../vault/index.ts'
import type { CorsSetting } from '../cors.ts'

/** What the reports work with. */
export interface ReportDeps {
  readonly house: House
  readonly accounts: Accounts
  readonly store: Store
  readonly vault: Vault
  /** Who listens. A handler must not ask Elysia for it: that reads in the handler's text what to hand over, and the build rewrites the text. */
  server(): AnyElysia['server']
  /** Proxies whose `X-Forwarded-For` is believed. */
  trustedProxies(): readonly AddressRange[]
  /** Pages of which origins may read them. */
  cors(): CorsSetting
}
