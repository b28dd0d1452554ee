import { describe, expect, test } from 'bun:test'
import { createLive } from '../../../src/app/live.ts'
import { createReload, type ReloadDeps } from '../../../src/app/reload.ts'
import type { LoadedConfig } from '../../../src/config/index.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'
import { configOf, problemsOf, withBackend, withOffer } from '../config/support.ts'

const BASE = withOffer('{ backend: a }')

/** A reload whose file is the test's: each read waits until it is answered. */
async function reloading(first = BASE, started: Partial<Pick<ReloadDeps, 'host' | 'port'>> = {}) {
  const clock = fakeClock()
  const config = await configOf(first)
  const live = createLive({ config, clock, loopbackOnlySecret: null })
  const reads: PromiseWithResolvers<LoadedConfig>[] = []
  const happened: string[] = []
  let resting: string[] = []
  const reload = createReload({
    config,
    configPath: () => '/etc/anyrouter.yaml',
    readConfig: () => {
      const read = Promise.withResolvers<LoadedConfig>()
      reads.push(read)
      return read.promise
    },
    ...config.server,
    ...started,
    clock,
    loopbackOnlySecret: null,
    live,
    health: { replaced: () => {} },
    agents: {
      update(catalogue, _settings, rests) {
        resting = [...catalogue.backends.values()].filter((backend) => rests?.(backend)).map(({ id }) => id)
        happened.push(`agents of ${catalogue.version} while ${live.newest().catalogue.version} is seen`)
      },
    },
    log: {
      info: (event) => void happened.push(event),
      error: (event, fields) => void happened.push(`${event}: ${fields?.message}`),
    },
  })
  return {
    clock,
    live,
    reads,
    happened,
    /** Backends whose agents were told to rest at the last reload. */
    resting: () => resting,
    reload,
    async answer(at: number, yaml: string): Promise<void> {
      await settleMicrotasks()
      reads[at]?.resolve({ kind: 'config', config: await configOf(yaml) })
    },
  }
}

/** One reload of a good file. */
async function report(yaml: string, made: Awaited<ReturnType<typeof reloading>>) {
  const outcome = made.reload()
  await made.answer(made.reads.length - 1, yaml)
  const done = await outcome
  if (done.kind === 'refused') throw new Error(done.words)
  return done.report
}

describe('backends that come to be abroad', () => {
  const file = (home: string, region: string) =>
    withOffer('{ backend: a }').replace('{ url:', `{ region: ${region}, url:`) +
    `routing: { home_regions: [${home}] }\n`

  test('rest; those that were so already do not', async () => {
    const made = await reloading(file('', 'us'))
    await report(file('', 'fr'), made)
    expect(made.resting()).toEqual([])
    await report(file('ca', 'fr'), made)
    expect(made.resting()).toEqual(['a'])
    await report(file('ca', 'us'), made)
    expect(made.resting()).toEqual([])
    await report(file('us', 'us'), made)
    await report(file('us', 'fr'), made)
    expect(made.resting()).toEqual(['a'])
  })
})

describe('a good file', () => {
  test('is seen whole, after the agents know of it', async () => {
    const made = await reloading()
    const before = made.live.newest()
    const done = await report(`${BASE}routing: { queue_ms: 7 }\n`, made)
    expect(done).toEqual({
      catalogueVersion: 2,
      backends: { added: [], removed: [], changed: [] },
      models: { added: [], removed: [], changed: [] },
      aliases: { added: [], removed: [], changed: [] },
      routers: { added: [], removed: [], changed: [] },
      settings: ['routing.queue_ms'],
      restartNeeded: [],
    })
    expect(made.happened).toEqual(['agents of 2 while 1 is seen', 'reloaded'])
    expect(made.live.newest().settings.routing.queueMs).toBe(7)
    expect(before.settings.routing.queueMs).toBe(2000)
  })

  test('tells what is new, gone and different', async () => {
    const made = await reloading()
    const done = await report(withBackend('{ url: "http://127.0.0.1:8/v1", slots: 2 }'), made)
    expect(done).toMatchObject({
      backends: { added: [], removed: [], changed: ['a'] },
      models: { added: [], removed: ['m'], changed: [] },
    })
  })

  test('what only a restart can change is told, the rest is applied, and is told again until then', async () => {
    const made = await reloading()
    const yaml = `${BASE}server: { host: 0.0.0.0, port: 9, drain_ms: 5 }\n`
    expect(await report(yaml, made)).toMatchObject({
      settings: ['server.drain_ms'],
      restartNeeded: ['server.host', 'server.port'],
    })
    expect(await report(yaml, made)).toMatchObject({ settings: [], restartNeeded: ['server.host', 'server.port'] })
    expect((await report(BASE, made)).restartNeeded).toEqual([])
  })

  test('what a flag said at the start is not the file’s to change', async () => {
    const made = await reloading(BASE, { host: '0.0.0.0', port: 1234 })
    expect((await report(`${BASE}server: { host: "::1", port: 9 }\n`, made)).restartNeeded).toEqual([])
  })
})

describe('nothing changes', () => {
  test('for a bad file; the answer and the log say where and why', async () => {
    const made = await reloading()
    const outcome = made.reload()
    const problems = await problemsOf('server:\n  prot: 1\n')
    made.reads[0]?.resolve({ kind: 'problems', problems })

    const refused = await outcome
    expect(refused).toMatchObject({ kind: 'refused', problems })
    expect(refused.kind === 'refused' && refused.words).toStartWith('/etc/anyrouter.yaml:2:3  server.prot\n')
    expect(made.happened).toEqual([`reload_refused: ${refused.kind === 'refused' ? refused.words : ''}`])
    expect(made.live.newest().catalogue.version).toBe(1)
  })

  test('for a file that cannot be read in time, and when it comes later', async () => {
    const made = await reloading()
    const outcome = made.reload()
    await settleMicrotasks()
    made.clock.advance(10_000)
    expect(await outcome).toMatchObject({ kind: 'refused', problems: [{ reason: expect.stringContaining('10 s') }] })
    await made.answer(0, withBackend('{ url: "http://127.0.0.1:8/v1" }'))
    await settleMicrotasks()
    expect(made.live.newest().catalogue.version).toBe(1)
    expect(made.clock.timers).toBe(0)
  })

  test('for a bug, which is told, and does not stand in the way of the next', async () => {
    const made = await reloading()
    const broken = made.reload()
    made.reads[0]?.reject(new Error('a bug'))
    await expect(broken).rejects.toThrow('a bug')
    expect((await report(BASE, made)).catalogueVersion).toBe(2)
  })
})

describe('at once', () => {
  test('never two; who waits is answered by one more read, begun after all had asked', async () => {
    const made = await reloading()
    const outcomes = [made.reload(), made.reload(), made.reload()]
    await settleMicrotasks()
    expect(made.reads).toHaveLength(1)
    await made.answer(0, BASE)
    await outcomes[0]
    await made.answer(1, `${BASE}routing: { queue_ms: 1 }\n`)
    expect(
      (await Promise.all(outcomes)).map((done) => done.kind === 'reloaded' && done.report.catalogueVersion),
    ).toEqual([2, 3, 3])
    expect(made.reads).toHaveLength(2)
  })
})
