import { z } from 'zod'
import {
  CAPABILITIES,
  DIALECTS,
  QUANTIZATIONS,
  ROUTER_NEEDS,
  ROUTER_ORDERS,
  SERVED_OPERATIONS,
  SORTS,
} from '../domain/index.ts'
import { type AddressRange, parseAddressRange } from '../lib/index.ts'
import { tlsSchema } from './backend-tls.ts'
import { KNOWN_PRESETS } from './known-presets.ts'
import { listenAddress } from './listen-address.ts'
import { isListenHost, LISTEN_HOST_FORM } from './listen-host.ts'
import { proxySchema } from './outbound-proxy.ts'
import { pingSchema } from './ping-schema.ts'
import { priceSchema } from './price-schema.ts'
import { quarantineSchema } from './quarantine-schema.ts'
import { ms, tokens, whole } from './whole.ts'

/**
 * The one schema of anyrouter.yaml. Its names are public. A name is accepted only when what it asks for works; everything else is an
 * unknown key. Messages given here are the reasons a person reads (explain.ts has the rest).
 */
const WEIGHT_MAX = 1_000_000

const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }
const SIZE_PATTERN = /^(\d{1,12}) ?(B|KB|MB|GB)$/i
const BODY_BYTES_MAX = 1024 ** 3
const FILE_BYTES_MIN = 16 * 1024 ** 2
const FILE_BYTES_MAX = 64 * 1024 ** 4

/** Bytes: a whole number, or a number with KB, MB or GB (powers of 1024). */
const size = (min: number, max: number) =>
  z
    .unknown()
    .transform((value) => {
      const match = typeof value === 'string' ? SIZE_PATTERN.exec(value) : null
      return match === null ? value : Number(match[1]) * (SIZE_UNITS[(match[2] ?? '').toUpperCase()] ?? 1)
    })
    .pipe(z.int('must be a size such as 32MB, or a number of bytes').min(min).max(max))
const bytes = size(1024, BODY_BYTES_MAX)
const UPLOAD_BYTES_MAX = 64 * 1024 ** 3
const fileBytes = size(FILE_BYTES_MIN, FILE_BYTES_MAX)

const BACKEND_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,199}$/

/** Whether a model can be called so. */
export const isModelName = (text: string): boolean => MODEL_ID.test(text)

const plainId = z
  .string()
  .regex(BACKEND_ID, 'must be a name of letters, digits, ".", "_" and "-", at most 64 characters')
const modelId = z
  .string()
  .regex(MODEL_ID, 'must be a model name: letters, digits and . _ : @ + / -, at most 200 characters')

/** The wire formats this version speaks. */
const dialect = z.enum(DIALECTS)

/** A scalar is a list of one. */
const listed = (value: unknown): unknown => (typeof value === 'string' ? [value] : value)

/** One or several; a scalar is fine. */
const dialectList = z.array(dialect).min(1, 'must name at least one dialect')
const dialects = z.preprocess(listed, dialectList.default(['openai']))

const credential = z
  .strictObject({
    id: plainId,
    env: z.string().min(1).optional(),
    file: z.string().min(1).optional(),
    value: z.string().min(1).optional(),
  })
  .refine((given) => [given.env, given.file, given.value].filter((from) => from !== undefined).length === 1, {
    error: 'must name where the secret is: either env (a variable) or file (a path)',
  })

const DAYS_MAX = 36_500

const dataHandling = z.strictObject({
  retention: z.union([z.literal('none'), whole(0, DAYS_MAX)], 'must be none, or a number of days').optional(),
  training: z.boolean().optional(),
})

const timeLimits = { connect_ms: ms(), first_content_ms: ms(), total_ms: ms(), idle_ms: ms() }

/** Of a backend, a model or an offer: the nearest that says something counts. */
const ownTimeLimits = {
  connect_ms: timeLimits.connect_ms.optional(),
  first_content_ms: timeLimits.first_content_ms.optional(),
  total_ms: timeLimits.total_ms.optional(),
  idle_ms: timeLimits.idle_ms.optional(),
}

const resend = z.enum(['stale', 'never'])

/** Regions of backends; one alone is a list of one. */
const homeRegions = z.preprocess(listed, z.array(plainId, 'must be a list of regions, such as [ca]'))

const backend = z.strictObject({
  url: z.string(),
  /** Instead of its provider's. */
  dialects: z.preprocess(listed, dialectList.optional()),
  region: plainId.optional(),
  enabled: z.boolean().default(true),
  slots: whole(1, 100_000).optional(),
  tls: tlsSchema.optional(),
  proxy: proxySchema.optional(),
  resend: resend.optional(),
  ping: pingSchema.optional(),
  ...ownTimeLimits,
})

const provider = z.strictObject({
  dialects,
  ownership: z
    .string()
    .regex(/^[a-z]{2}$/, 'must be the two small letters of a country, such as ca')
    .optional(),
  data: dataHandling.optional(),
  credentials: z.array(credential).default([]),
  backends: z.record(plainId, backend),
})

/** What a model can do there, what can be asked of it, and what requests to it may say. */
const abilities = {
  operations: z.array(z.enum(SERVED_OPERATIONS)).min(1, 'must name at least one operation').optional(),
  capabilities: z.array(z.enum(CAPABILITIES)).optional(),
  parameters: z
    .array(z.string().regex(/^[a-z][a-z_]{0,63}$/, 'must be the name of a request field, such as temperature'))
    .optional(),
}

const offer = z.strictObject({
  backend: z.string(),
  as: z.string().min(1).max(200).optional(),
  price: priceSchema.optional(),
  cost: priceSchema.optional(),
  context: tokens.optional(),
  output_max: tokens.optional(),
  enabled: z.boolean().default(true),
  quantization: z.enum(QUANTIZATIONS).optional(),
  weight: z.number().min(0).max(WEIGHT_MAX).optional(),
  ...abilities,
  ...ownTimeLimits,
})

const model = z.strictObject({
  context: tokens.optional(),
  output_max: tokens.optional(),
  ...abilities,
  offers: z.array(offer).min(1, 'must have at least one offer'),
  ...ownTimeLimits,
})

const routerList = z.array(z.string()).min(1, 'must name at least one model')

const router = z.strictObject({
  candidates: routerList.optional(),
  where: z.strictObject({ price: z.literal('free', 'must be free: offers whose price is zero') }).optional(),
  by: z.enum(ROUTER_ORDERS).default('needs'),
  needs: z.partialRecord(z.enum(ROUTER_NEEDS), routerList).default({}),
})

const addressRange = z.string().transform((text, context): AddressRange => {
  const range = parseAddressRange(text)
  if (range !== null) return range
  context.addIssue('must be an address or a range of them, such as 10.0.0.0/8')
  return z.NEVER
})

const ORIGIN_ERROR = 'must be an origin: https://app.example.com, without a path'
const origin = z.string().refine((text) => URL.parse(text)?.origin === text && /^https?:[^*]+$/.test(text), {
  error: ({ input }) =>
    String(input).includes('*') ? `${ORIGIN_ERROR}, whole: * stands for nothing in it` : ORIGIN_ERROR,
})

/** `off`, `"*"` or a list of origins; one origin alone is a list of one. */
const cors = z.preprocess(
  (value) => (typeof value === 'string' && value !== 'off' && value !== '*' ? [value] : value),
  z.union([z.enum(['off', '*']), z.array(origin).min(1)], 'must be off, "*", or a list of origins'),
)

const LISTEN_ERROR = 'must be off, or host:port such as 127.0.0.1:9090'
const listen = z.string(LISTEN_ERROR).refine((text) => text === 'off' || listenAddress(text) !== null, LISTEN_ERROR)

const PRESET_IDS = KNOWN_PRESETS.map(({ id }) => id)

const presets = z.union(
  [z.enum(['on', 'off']), z.array(z.enum(PRESET_IDS)).min(1)],
  `must be on, off, or a list of these: ${PRESET_IDS.join(', ')}`,
)

export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().refine(isListenHost, `must be ${LISTEN_HOST_FORM}`).default('127.0.0.1'),
      port: whole(0, 65_535).default(8080),
      body_bytes_max: bytes.default(32 * 1024 ** 2),
      upload_bytes_max: size(1024, UPLOAD_BYTES_MAX).default(512 * 1024 ** 2),
      drain_ms: ms(0).default(60_000),
      trust_proxy: z.array(addressRange).default([]),
      cors: cors.default('off'),
    })
    .prefault({}),
  routing: z
    .strictObject({
      sort: z.enum(['order', ...SORTS]).default('order'),
      attempts_max: whole(1, 20).default(3),
      dials_max: whole(1, 100).default(6),
      connect_ms: timeLimits.connect_ms.default(5000),
      first_content_ms: timeLimits.first_content_ms.default(120_000),
      total_ms: timeLimits.total_ms.default(600_000),
      idle_ms: timeLimits.idle_ms.default(120_000),
      client_stall_ms: ms().default(60_000),
      heartbeat_after_ms: ms(0).default(15_000),
      queue_ms: ms(0).default(2000),
      home_regions: homeRegions.default([]),
    })
    .prefault({}),
  money: z
    .strictObject({
      output_reserve_tokens: tokens.default(4096),
      output_cap_tokens: tokens.default(16_384),
      before_content: z.enum(['prompt', 'free']).default('prompt'),
      crash: z.enum(['delivered', 'hold', 'void']).default('delivered'),
      byok_fee_bps: whole(0, 10_000).default(0),
    })
    .prefault({}),
  agents: z
    .strictObject({
      slots: whole(1, 100_000).default(64),
      idle_ms: ms().default(55_000),
      age_max_ms: ms().default(300_000),
      idle_max: whole(0, 100_000).default(64),
      resend: resend.default('stale'),
      warm: whole(0, 1000).default(1),
      keep_warm_ms: ms(0).default(600_000),
      ping_every_ms: ms(1000).default(15_000),
      connections_max: whole(1, 1_000_000).default(10_000),
    })
    .prefault({}),
  replies: z
    .strictObject({
      hide_backends: z.boolean().default(false),
      timing_comment: z.boolean().default(false),
      no_retry_after_send: z.boolean().default(true),
      repeat_plain_timeouts: z.boolean().default(false),
    })
    .prefault({}),
  limits: z
    .strictObject({
      waiters_max: whole(0, 1_000_000).default(10_000),
      requests_in_flight_max: whole(1, 1_000_000).default(20_000),
      bodies_bytes_max: fileBytes.default(1024 ** 3),
    })
    .prefault({}),
  quarantine: quarantineSchema.prefault({}),
  sticky: z.strictObject({ life_ms: ms(0).default(3_600_000) }).prefault({}),
  records: z
    .strictObject({
      keep_days: whole(1, DAYS_MAX).default(90),
      bytes_max: fileBytes.default(20 * 1024 ** 3),
      content_keep_days: whole(1, DAYS_MAX).default(30),
    })
    .prefault({}),
  network: z
    .strictObject({
      allow_private: z.array(addressRange).default([]),
      ports: z.array(whole(1, 65_535)).min(1).default([443]),
      ca_file: z.string().min(1).optional(),
    })
    .prefault({}),
  metrics: z.strictObject({ listen: listen.default('off') }).prefault({}),
  /** On when no provider is named: providers whose key is in the environment. */
  presets: presets.optional(),
  allow_inline_secrets: z.boolean().default(false),
  providers: z.record(plainId, provider).default({}),
  models: z.record(modelId, model).default({}),
  routers: z.record(modelId, router).default({}),
  aliases: z.record(modelId, z.string()).default({}),
})

/** A checked file: YAML's names, defaults filled in, prices in nano-dollars per million. */
export type ConfigInput = z.output<typeof configSchema>
