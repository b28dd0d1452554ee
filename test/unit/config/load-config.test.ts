import { describe, expect, test } from 'bun:test'
import { loadConfig } from '../../../src/config/index.ts'
import { configOf, problemsOf, surroundings, withBackend, withOffer } from './support.ts'

const DEFAULTS = {
  server: {
    host: '127.0.0.1',
    port: 8080,
    bodyBytesMax: 33_554_432,
    uploadBytesMax: 536_870_912,
    drainMs: 60_000,
    trustProxy: [],
    cors: 'off',
  },
  routing: {
    sort: null,
    attemptsMax: 3,
    dialsMax: 6,
    clientStallMs: 60_000,
    heartbeatAfterMs: 15_000,
    queueMs: 2000,
    homeRegions: [],
  },
  money: {
    outputReserveTokens: 4096,
    outputCapTokens: 16_384,
    beforeContent: 'prompt',
    crash: 'delivered',
    byokFeeBps: 0,
  },
  agents: {
    idleMs: 55_000,
    ageMaxMs: 300_000,
    idleMax: 64,
    warm: 1,
    keepWarmMs: 600_000,
    pingEveryMs: 15_000,
    connectionsMax: 10_000,
  },
  limits: { requestsInFlightMax: 20_000, waitersMax: 10_000, bodiesBytesMax: 1024 ** 3 },
  replies: { hideBackends: false, timingComment: false, noRetryAfterSend: true, repeatPlainTimeouts: false },
  quarantine: {
    failures: 5,
    rate: 0.5,
    windowMs: 60_000,
    windowMin: 20,
    cooldownMs: 15_000,
    cooldownMaxMs: 600_000,
    leastBad: false,
    probe: true,
  },
  sticky: { lifeMs: 3_600_000 },
  records: { keepDays: 90, bytesMax: 20 * 1024 ** 3, contentKeepDays: 30 },
  network: { allowPrivate: [], ports: [443], caFile: null },
  metrics: { listen: null },
  catalogue: { backends: new Map(), models: new Map(), aliases: new Map(), routers: new Map() },
  presets: [],
  settings: expect.any(Function),
} as const

describe('defaults', () => {
  test('no file, an empty file and empty sections all mean the defaults', async () => {
    expect(await loadConfig(null, surroundings({}))).toEqual({ kind: 'config', config: DEFAULTS })
    expect(await configOf('')).toEqual(DEFAULTS)
    expect(await configOf('# nothing\nserver:\nproviders:\nmodels:\nrouting: {}\n')).toEqual(DEFAULTS)
  })

  test('the configuration is frozen to its leaves', async () => {
    const config = await configOf(withOffer('{ backend: a }'))
    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.server)).toBe(true)
    expect(Object.isFrozen(config.catalogue.backends.get('a')?.limits)).toBe(true)
    expect(Object.isFrozen(config.catalogue.models.get('m')?.offers)).toBe(true)
  })
})

describe('settings', () => {
  test('sizes are bytes, or powers of 1024', async () => {
    const bytes = async (text: string) => (await configOf(`server: { body_bytes_max: ${text} }`)).server.bodyBytesMax
    expect(await bytes('5000')).toBe(5000)
    expect(await bytes('64KB')).toBe(65_536)
    expect(await bytes('2 mb')).toBe(2_097_152)
    expect(await bytes('1GB')).toBe(1_073_741_824)
    for (const bad of ['12XB', '-1', '1.5MB', '2GB', '0', '[]', 'true']) {
      const [problem] = await problemsOf(`server: { body_bytes_max: ${bad} }`)
      expect(problem?.path).toBe('server.body_bytes_max')
    }
  })

  test('metrics.listen: off, or an address with its port', async () => {
    const at = async (text: string) => (await configOf(`metrics: { listen: ${text} }`)).metrics.listen
    expect(await at('off')).toBeNull()
    expect(await at('127.0.0.1:9090')).toEqual({ host: '127.0.0.1', port: 9090 })
    expect(await at('metrics.internal:0')).toEqual({ host: 'metrics.internal', port: 0 })
    for (const bad of [
      '9090',
      '":9090"',
      '::1:9090',
      'localhost',
      '"127.0.0.1:65536"',
      'true',
      '[]',
      '"on"',
      '"*:9090"',
      'a..b:1',
    ]) {
      const [problem] = await problemsOf(`metrics:\n  listen: ${bad}\n`)
      expect(problem).toMatchObject({
        path: 'metrics.listen',
        line: 2,
        reason: 'must be off, or host:port such as 127.0.0.1:9090',
      })
    }
  })

  test('cors: off, all origins, one, or several; nothing that is no origin', async () => {
    const cors = async (text: string) => (await configOf(`server: { cors: ${text} }`)).server.cors
    expect(await cors('off')).toBe('off')
    expect(await cors('"*"')).toBe('*')
    expect(await cors('https://a.example')).toEqual(['https://a.example'])
    expect(await cors('[https://a.example, "http://localhost:3000"]')).toEqual([
      'https://a.example',
      'http://localhost:3000',
    ])
    const bad = [
      '[https://a.example/path]',
      'a.example',
      '["*"]',
      '[https://a.example/]',
      '[https://A.example]',
      '["ftp://a.example"]',
    ]
    for (const text of [...bad, 'true', '[]', '{}', '[null]']) {
      const [problem] = await problemsOf(`server:\n  cors: ${text}\n`)
      expect(problem).toMatchObject({ path: expect.stringMatching(/^server\.cors/), line: 2 })
    }
    expect((await problemsOf('server: { cors: [https://a.example/path] }'))[0]).toMatchObject({
      reason: 'must be an origin: https://app.example.com, without a path',
    })
    expect((await problemsOf('server: { cors: ["https://*.a.example"] }'))[0]).toMatchObject({
      path: 'server.cors.0',
      reason: 'must be an origin: https://app.example.com, without a path, whole: * stands for nothing in it',
    })
  })

  test('quarantine: never on one failure, and the first time of waiting is at most the longest', async () => {
    expect(await problemsOf('quarantine: { failures: 1 }')).toMatchObject([{ path: 'quarantine.failures' }])
    expect(await problemsOf('quarantine:\n  cooldown_ms: 700000\n')).toMatchObject([
      { path: 'quarantine.cooldown_ms', line: 2, reason: expect.stringContaining('at most cooldown_max_ms') },
    ])
    expect(await problemsOf('quarantine: { failure: 3 }')).toMatchObject([
      { path: 'quarantine.failure', suggestion: "Did you mean 'failures'?" },
    ])
  })

  test('trust_proxy: addresses and ranges of them', async () => {
    const { trustProxy } = (await configOf('server: { trust_proxy: [127.0.0.1, "2001:db8::/32"] }')).server
    expect(trustProxy.map(({ text, prefixBits }) => [text, prefixBits])).toEqual([
      ['127.0.0.1', 32],
      ['2001:db8::/32', 32],
    ])
    expect(await problemsOf('server:\n  trust_proxy: [10.0.0.0/8, caddy]')).toMatchObject([
      {
        path: 'server.trust_proxy.1',
        line: 2,
        column: 29,
        reason: 'must be an address or a range of them, such as 10.0.0.0/8',
      },
    ])
  })

  test('every given value is taken', async () => {
    const config = await configOf(`
server: { host: 0.0.0.0, port: 0, trust_proxy: [10.0.0.0/8], cors: [https://app.example.com] }
routing: { sort: price, attempts_max: 1, dials_max: 2, connect_ms: 3, first_content_ms: 4, total_ms: 5, idle_ms: 6, client_stall_ms: 7, heartbeat_after_ms: 0, queue_ms: 0, home_regions: ca }
money: { output_reserve_tokens: 10, output_cap_tokens: 11, before_content: free, crash: hold }
agents: { slots: 12, idle_ms: 13, age_max_ms: 14, idle_max: 0, warm: 0, keep_warm_ms: 0, ping_every_ms: 1000, connections_max: 17 }
limits: { waiters_max: 15, requests_in_flight_max: 16, bodies_bytes_max: 17MB }
replies: { hide_backends: true, timing_comment: true, no_retry_after_send: false, repeat_plain_timeouts: true }
quarantine: { failures: 2, rate: 0.25, window_ms: 1000, window_min: 3, cooldown_ms: 4, cooldown_max_ms: 5, least_bad: true, probe: false }
sticky: { life_ms: 0 }
metrics: { listen: "[::1]:9090" }
${withBackend('{ url: "http://127.0.0.1:9/v1" }')}`)
    expect(config.metrics).toEqual({ listen: { host: '::1', port: 9090 } })
    expect(config.sticky).toEqual({ lifeMs: 0 })
    expect(config.quarantine).toEqual({
      failures: 2,
      rate: 0.25,
      windowMs: 1000,
      windowMin: 3,
      cooldownMs: 4,
      cooldownMaxMs: 5,
      leastBad: true,
      probe: false,
    })
    expect(config.server).toEqual({
      host: '0.0.0.0',
      port: 0,
      bodyBytesMax: 33_554_432,
      uploadBytesMax: 536_870_912,
      drainMs: 60_000,
      trustProxy: [{ text: '10.0.0.0/8', bytes: [10, 0, 0, 0], prefixBits: 8 }],
      cors: ['https://app.example.com'],
    })
    expect(config.routing).toEqual({
      sort: 'price',
      attemptsMax: 1,
      dialsMax: 2,
      clientStallMs: 7,
      heartbeatAfterMs: 0,
      queueMs: 0,
      homeRegions: ['ca'],
    })
    expect(config.money).toEqual({
      outputReserveTokens: 10,
      outputCapTokens: 11,
      beforeContent: 'free',
      crash: 'hold',
      byokFeeBps: 0,
    })
    expect(config.agents).toEqual({
      idleMs: 13,
      ageMaxMs: 14,
      idleMax: 0,
      warm: 0,
      keepWarmMs: 0,
      pingEveryMs: 1000,
      connectionsMax: 17,
    })
    expect(config.limits).toEqual({ requestsInFlightMax: 16, waitersMax: 15, bodiesBytesMax: 17 * 1024 ** 2 })
    expect(config.replies).toEqual({
      hideBackends: true,
      timingComment: true,
      noRetryAfterSend: false,
      repeatPlainTimeouts: true,
    })
    const backend = config.catalogue.backends.get('a')
    expect(backend?.slots).toBe(12)
    expect(backend?.limits).toEqual({ connectMs: 3, firstContentMs: 4, totalMs: 5, idleMs: 6 })
  })

  test('numbers out of range, of another kind or beyond any timer are refused', async () => {
    for (const bad of [
      'port: 65536',
      'port: -1',
      'port: 80.5',
      'port: "8080"',
      'port: [1]',
      'port: .inf',
      'port: 1e400',
    ]) {
      expect((await problemsOf(`server: { ${bad} }`)).map(({ path }) => path)).toEqual(['server.port'])
    }
    expect((await problemsOf('routing: { total_ms: 86400001 }'))[0]?.reason).toBe('must be at most 86400000')
    expect((await problemsOf('routing: { total_ms: 0 }'))[0]?.reason).toBe('must be at least 1')
  })
})

describe('files that are no configuration', () => {
  test('a missing file, a huge one and one that is no text give one problem each', async () => {
    const missing = await loadConfig('/nowhere.yaml', surroundings({}))
    expect(missing).toMatchObject({ kind: 'problems', problems: [{ path: '', line: null, column: null }] })
    expect((await problemsOf(new Uint8Array(10_000_000))).map(({ reason }) => reason)).toEqual([
      'the file is larger than 2 MB',
    ])
    const odd = Uint8Array.from([...new TextEncoder().encode('server:\n  hö'), 0xff, 0xfe, 0x41])
    expect(await problemsOf(odd)).toMatchObject([{ reason: 'the file is not text in UTF-8', line: 2, column: 5 }])
  })

  test('a byte order mark does no harm', async () => {
    expect((await configOf('\uFEFFserver: { port: 1 }')).server.port).toBe(1)
  })

  test('a scalar or a list at the top is refused', async () => {
    expect(await problemsOf('just words')).toMatchObject([
      { path: '', line: 1, column: 1, reason: 'must be a section with keys, not text' },
    ])
    expect(await problemsOf('- a\n- b')).toMatchObject([{ reason: 'must be a section with keys, not a list' }])
  })
})
