import { expect } from 'bun:test'
import type { AnyElysia } from 'elysia'
import { createOwnCredentials, rotateMasterKey } from '../../../../src/accounts/index.ts'
import { createOutbound } from '../../../../src/agents/index.ts'
import { pathChecks } from '../../../../src/app/path-checks.ts'
import type { AgentSettings } from '../../../../src/domain/index.ts'
import { createAdmin } from '../../../../src/http/index.ts'
import { smoke } from '../../../../src/jobs/index.ts'
import type { MasterKeys, Vault } from '../../../../src/vault/index.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec } from '../../../support/house.ts'
import type { AdminAnswer } from '../../../support/run-gateway.ts'
import { oneKey, testVault } from '../../../support/vault.ts'

const AGENT_SETTINGS: AgentSettings = {
  idleMs: 55_000,
  ageMaxMs: 300_000,
  idleMax: 1,
  warm: 0,
  keepWarmMs: 0,
  pingEveryMs: 15_000,
  connectionsMax: 10,
}

/** Of a rotation that has nothing to do: no file stands behind it. */
const KEYS: MasterKeys = { ...oneKey(new Uint8Array(32).fill(7)), begin: () => {}, finish: () => {} }

export interface AdminWorld extends HouseDouble {
  readonly vault: Vault
  readonly app: AnyElysia
  /** Calls the admin app in this process. A text goes out as it is, anything else as JSON. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<AdminAnswer & { readonly headers: Headers }>
}

/** The admin app over a house whose store, clock and chance are in the test's hand. Every answer is checked for its form. */
export function adminWorld(spec: HouseSpec = {}): AdminWorld {
  const world = createHouseDouble(spec)
  const { house, store, clock, traffic } = world
  const { accounts, ledger, bytesPerToken, catalogue, settings, agents, health, random } = house
  const { reader, writer } = store
  const vault = testVault(random)
  const paths = pathChecks(() => AGENT_SETTINGS, clock)
  const agentStats = () => agents.stats()
  const network = { allowPrivate: [], ports: [443], caFile: null }
  const outbound = createOutbound({ clock, settings: () => network, ownAddresses: () => [] })
  const admin = createAdmin({
    store,
    vault,
    rotateMasterKey: (by) =>
      rotateMasterKey(
        { keys: KEYS, vault, reader, writer, clock, others: () => Promise.resolve(), onChange: () => {} },
        by,
      ),
    config: () => ({ path: null, settings: [] }),
    checkConfig: () => Promise.resolve([]),
    ownCredentials: createOwnCredentials({
      reader,
      writer,
      vault,
      clock,
      random,
      onChange: (id) => accounts.rows.drop(id),
    }),
    placeRefusal: (url) => outbound.refusal(url),
    health,
    accounts,
    ledger,
    bytesPerToken,
    catalogue,
    settings,
    agentStats,
    notFound: () => house.metrics.notFound(),
    paths,
    reload: null,
    doctor: () => Promise.resolve([]),
    smoke: (wish) => smoke({ house, reader }, wish),
    traffic,
    clock,
    random,
    log: house.log,
    actor: 'local:7',
    version: 'test',
  })
  return {
    ...world,
    vault,
    app: admin,
    async call(method, path, body, headers = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const response = await admin.handle(
        new Request(`http://admin/admin/v1${path}`, { method, headers, ...(body === undefined ? {} : { body: text }) }),
      )
      expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
      expect(response.headers.get('content-type')).toStartWith('application/json')
      const answer = JSON.parse(await response.text())
      if (!response.ok) {
        expect(Object.keys(answer)).toEqual(['error'])
        expect(Object.keys(answer.error)).toEqual(['message', 'type', 'param', 'code'])
      }
      return { status: response.status, body: answer, headers: response.headers }
    },
  }
}

/** What a refusal is compared with. */
export const refusal = (status: number, code: string, param: string | null = null) => ({
  status,
  body: { error: { code, param } },
})
