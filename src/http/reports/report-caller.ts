import { type AccountContext, GatewayError, type ManagementKey, type Scope } from '../../domain/index.ts'
import { identify, secretsOf } from '../../pipeline/index.ts'
import { isManagementSecret } from '../../vault/index.ts'
import { requireScope } from '../admin/caller.ts'
import { refuseLargeHead } from '../admin/from-outside.ts'
import { keyCaller, unauthorised } from '../admin/key-caller.ts'
import { readJson } from '../admin/read-json.ts'
import { remoteAddress } from '../client-address.ts'
import type { ReportDeps } from './deps.ts'

/** Who asks for a report: an account by one of its keys, or an operator by a management key, who is told of all accounts. */
export type ReportCaller =
  | { readonly kind: 'account'; readonly context: AccountContext }
  | { readonly kind: 'operator'; readonly key: ManagementKey }

/** Throws 401 and 403 as every operation does, and 403 for a management key that may not read. */
export async function reportCaller(deps: ReportDeps, request: Request): Promise<ReportCaller> {
  refuseLargeHead(request)
  const [first = ''] = secretsOf(request.headers)
  if (isManagementSecret(first)) return { kind: 'operator', key: await operatorOf(deps, request, first, 'read') }
  const address = () => remoteAddress(request, deps.server(), deps.trustedProxies())
  return { kind: 'account', context: await identify(deps.house, request, address) }
}

/** As `reportCaller`, for what operators alone may do. */
export async function operatorCaller(deps: ReportDeps, request: Request, scope: Scope): Promise<ManagementKey> {
  const [first = ''] = secretsOf(request.headers)
  if (first !== '' && !isManagementSecret(first)) {
    await reportCaller(deps, request) // a key that is none is told so first
    throw new GatewayError('insufficient_scope', 'This needs a management key: a key of an account may not do it.')
  }
  refuseLargeHead(request)
  return operatorOf(deps, request, first, scope)
}

/** The `parse` of routes with a body: who asks is known before a byte of it is read. */
export const operatorJson =
  (deps: ReportDeps, scope: Scope) =>
  async ({ request }: { readonly request: Request }): Promise<unknown> => {
    await operatorCaller(deps, request, scope)
    return readJson({ request })
  }

/** The one account that a caller is told of; null: all. */
export const accountOf = (caller: ReportCaller): string | null =>
  caller.kind === 'account' ? caller.context.account.id : null

async function operatorOf(deps: ReportDeps, request: Request, secret: string, scope: Scope): Promise<ManagementKey> {
  if (secret === '')
    throw unauthorised(
      'missing_api_key',
      "You didn't provide a management key. Send it as 'Authorization: Bearer ak_…'.",
    )
  const key = await keyCaller(deps, request, secret)
  requireScope(request, scope, 'This')
  return key
}
