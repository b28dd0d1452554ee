import { usableBackends } from '../catalogue/index.ts'
import { type createAdmin, createPublicApp, fromOutside, listenForMetrics, metricsFor } from '../http/index.ts'
import { hostText, timeOrderedId } from '../lib/index.ts'
import type { House } from '../pipeline/index.ts'
import { keepFrontPage, swaggerPage } from '../site/index.ts'
import type { MetricsText } from './metrics-text.ts'
import type { Rooms } from './open-rooms.ts'
import type { AppOptions } from './options.ts'
import { readinessOf } from './readiness.ts'

/** The public edge while it listens. */
export interface Listener {
  readonly origin: string
  /** The base URL of SDKs. */
  readonly baseUrl: string
  readonly port: number
  /** Where `/metrics` is without a key; null: nowhere. */
  readonly metricsAddress: string | null
  /** Takes no new connection; resolves when those that are open are done, with `atOnce` without them. */
  stop(atOnce?: boolean): Promise<void>
}

const IDLE_LIMIT_S = 30

/** Opens the public port, and that of the metrics. Throws for a taken port, and for an address that is not this machine's. */
export function listen(
  { host, port, version }: Pick<AppOptions, 'host' | 'port' | 'version'>,
  rooms: Rooms,
  admin: ReturnType<typeof createAdmin>,
  metrics: MetricsText,
): Listener {
  const { house, store, traffic, live, vault } = rooms
  const readiness = () => readinessOf(store, traffic, usableBackends(house.catalogue()), house.health)
  const frontPage = keepFrontPage()
  const page = (origin: string) =>
    frontPage({
      catalogue: house.catalogue(),
      origin,
      version,
      ready: readiness().ready,
      isUp: (backend) => backend.enabled && house.health.exclusion(backend.id) === null,
    })
  const publicApp = createPublicApp({
    house,
    reports: { accounts: house.accounts, store, vault },
    readiness,
    admin: fromOutside(house, admin),
    metrics: fromOutside(house, metricsFor(metrics.text, requestIds(house))),
    frontPage: page,
    swaggerPage: swaggerPage(version),
    version,
    documented: [admin],
    trustedProxies: () => live.newest().config.server.trustProxy,
    cors: () => live.newest().config.server.cors,
  })
  const own = live.newest().config.metrics.listen
  const metricsListener = own === null ? null : listenForMetrics(own, metrics.text)
  try {
    publicApp.listen({
      hostname: host,
      port,
      reusePort: false,
      idleTimeout: IDLE_LIMIT_S,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false, // else Bun prints every stream that is broken off on purpose
    })
  } catch (error) {
    void metricsListener?.stop()
    throw error
  }
  const server = publicApp.server
  if (server === null) throw new Error('the server did not start')
  const origin = originOf(host, server.port ?? port)
  return {
    origin,
    baseUrl: `${origin}/v1`,
    port: server.port ?? port,
    metricsAddress: own === null ? null : originOf(own.host, metricsListener?.port ?? own.port),
    async stop(atOnce) {
      if (atOnce) await metricsListener?.stop() // until then a drain can be watched
      await server.stop(atOnce)
    },
  }
}

const originOf = (host: string, port: number): string => `http://${hostText(host, port)}`

const requestIds =
  ({ clock, random }: House) =>
  () => ({
    'x-request-id': `req_${timeOrderedId(clock.wallMs(), random)}`,
  })
