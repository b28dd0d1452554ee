import { expect, test } from 'bun:test'
import { Watch } from '../../../src/health/watch.ts'
import { QUARANTINE } from '../../support/health-double.ts'
import { SOUTH } from './health-kit.ts'

const NOW_MS = 1_800_000_000_000
const failure = (accountId = 'acc_1', isConnection = false) => ({ accountId, isConnection })

test('who asks for a backend that is in gets the same claim, until something changes', () => {
  const watch = new Watch()
  const claim = watch.openClaim(SOUTH)
  expect(watch.openClaim(SOUTH)).toBe(claim)
  expect(watch.openClaim({ ...SOUTH })).not.toBe(claim) // the backend of a newer catalogue
  watch.number++
  expect(watch.openClaim(SOUTH)).toMatchObject({ number: 1, isTrial: false })
})

test('the settings may change while it counts', () => {
  const watch = new Watch()
  for (let at = 0; at < 4; at++) expect(watch.failed(NOW_MS, failure(), QUARANTINE)).toBe('counted')
  const narrow = { ...QUARANTINE, windowMs: 1000, failures: 6 }
  expect(watch.failed(NOW_MS, failure(), narrow)).toBe('counted')
  expect(watch.failed(NOW_MS, failure(), narrow)).toBe('open')
})

test('a streak is of all accounts together', () => {
  const watch = new Watch()
  for (const name of ['a', 'b', 'c', 'd']) expect(watch.failed(NOW_MS, failure(name), QUARANTINE)).toBe('counted')
  expect(watch.failed(NOW_MS, failure('e'), QUARANTINE)).toBe('open')
  expect(watch.counts(NOW_MS, 'e')).toEqual({ count: 5, streak: 5 })
  watch.forget()
  expect(watch.counts(NOW_MS, 'e')).toEqual({ count: 0, streak: 0 })
})

test('a share of failures that one account alone makes cools it for that one', () => {
  const watch = new Watch()
  const verdicts = new Set<string>()
  for (let at = 0; at < 40; at++) {
    watch.succeeded(NOW_MS + at, 'acc_2', QUARANTINE)
    if (at % 3 === 0) watch.succeeded(NOW_MS + at, 'acc_1', QUARANTINE)
    else verdicts.add(watch.failed(NOW_MS + at, failure(), QUARANTINE))
  }
  expect([...verdicts]).toEqual(['counted', 'cool'])
})

test('a share that all accounts see takes it out; one that others hardly see does not', () => {
  const shared = new Watch()
  const verdicts: string[] = []
  for (let at = 0; at < 21; at++) {
    const name = at % 6 < 3 ? 'a' : 'b'
    if (at % 3 === 0) shared.succeeded(NOW_MS, name, QUARANTINE)
    else verdicts.push(shared.failed(NOW_MS, failure(name), QUARANTINE))
  }
  expect(verdicts).toEqual([...Array(12).fill('counted'), 'open', 'open']) // from the twentieth on
  const own = new Watch()
  const of: string[] = []
  own.failed(NOW_MS, failure('b'), QUARANTINE)
  for (let at = 0; at < 30; at++) {
    if (at % 3 === 0) own.succeeded(NOW_MS, 'b', QUARANTINE)
    else of.push(own.failed(NOW_MS, failure('a'), QUARANTINE))
  }
  expect([...new Set(of)]).toEqual(['counted', 'cool'])
})

test('a streak of one account is not shared because one before it was', () => {
  const watch = new Watch()
  for (const name of ['a', 'b']) watch.failed(NOW_MS, failure(name), QUARANTINE)
  watch.succeeded(NOW_MS, 'b', QUARANTINE)
  const verdicts = Array.from({ length: 5 }, () => watch.failed(NOW_MS, failure('a'), QUARANTINE))
  expect(verdicts).toEqual(['counted', 'counted', 'counted', 'cool', 'cool'])
})

test('two failures in a row of two accounts are no streak, however often one of them failed before', () => {
  const watch = new Watch()
  for (let at = 0; at < 4; at++) {
    watch.failed(NOW_MS, failure('a'), QUARANTINE)
    watch.succeeded(NOW_MS, 'b', QUARANTINE)
  }
  expect(watch.failed(NOW_MS, failure('b'), QUARANTINE)).toBe('counted')
  expect(watch.failed(NOW_MS, failure('a'), QUARANTINE)).toBe('cool')
})

test('most requests failing is no account’s doing as long as none has had enough of them', () => {
  const watch = new Watch()
  const play = (name: string, ends: string) =>
    [...ends].map((end) =>
      end === 'F' ? watch.failed(NOW_MS, failure(name), QUARANTINE) : watch.succeeded(NOW_MS, name, QUARANTINE),
    )
  play('b', 'FSSFSS')
  expect(play('a', 'FFFFSFFFFSFFFF').at(-1)).toBe('counted') // the twentieth: 14 have failed, 4 of them in a row
})

test('who listens for the end of a trial is told once for each', () => {
  const watch = new Watch()
  let told = 0
  watch.trialListeners.add(() => told++)
  watch.beginTrial(SOUTH)
  expect(watch.trial?.isTrial).toBe(true)
  watch.endTrial()
  expect({ told, trial: watch.trial }).toEqual({ told: 1, trial: null })
})

test('remembers a bounded number of accounts', () => {
  const watch = new Watch()
  for (let at = 0; at < 3000; at++) {
    watch.failed(NOW_MS, failure(`acc_${at}`), QUARANTINE)
    watch.succeeded(NOW_MS, 'acc_well', QUARANTINE)
  }
  expect(watch.counts(NOW_MS, 'acc_0').streak).toBe(0)
  expect(watch.counts(NOW_MS, 'acc_2999').streak).toBe(1)
})
