import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { busyness } from '../../tools/busyness.ts'
import { adaptedCase, inItsTime } from './adapted-case.ts'
import { adapter } from './adapter.ts'
import { type CaseResult, runCase, whySkip } from './harness/run.ts'
import type { Action, Case } from './harness/types.ts'
import later from './later.json'

/** Reasons by case id: what this version does not offer yet. */
export const listed: Readonly<Record<string, string>> = later

export const allCases: readonly Case[] = readFileSync(join(import.meta.dir, 'harness/cases.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(inItsTime(adaptedCase(line), busyness())))

const AT_ONCE = 2
const CROWD = 50 // requests at once that would disturb the clocks of other cases
const CASE_MS_MAX = 20_000
const LISTED_MS_MAX = 3000 // a listed case is expected to fail: it need not take long to
const TEST_MS_MAX = 60_000 * busyness()
const SLOW_MS_MAX = 900_000

/**
 * Makes a test of every case of these kinds. One that `later.json` lists must fail: when it passes, it is to be taken off the list. Slow cases, and
 * those that need something that this adapter has not, are left out here.
 */
export function testCases(kinds: readonly string[]): void {
  play(
    allCases.filter(
      (testCase) => kinds.includes(testCase.kind) && !testCase.slow && whySkip(testCase, adapter) === null,
    ),
  )
}

/** Makes a test of every case that takes longer than the others together. */
export function slowCases(): void {
  play(allCases.filter((testCase) => testCase.slow === true && whySkip(testCase, adapter) === null))
}

function play(cases: readonly Case[]): void {
  const results = new Map<string, Promise<CaseResult>>()
  beforeAll(() => startAll(cases, results))

  for (const { id, symptom } of cases) {
    test(
      `${id}: ${symptom}`,
      async () => {
        const outcome = await results.get(id)?.catch((error: unknown) => ({ failures: [String(error)] }))
        if (listed[id] === undefined) expect(outcome?.failures).toEqual([])
        else if (outcome?.failures.length === 0) throw new Error(`${id} passes: remove it from test/cases/later.json`)
      },
      cases.some(({ slow }) => slow === true) ? SLOW_MS_MAX : TEST_MS_MAX,
    )
  }
}

/** Begins the cases, a few at once, and those that need quiet at the end, one at a time. */
function startAll(cases: readonly Case[], results: Map<string, Promise<CaseResult>>): void {
  let quiet: Promise<unknown> = Promise.resolve()
  const lines = Array.from({ length: AT_ONCE }, () => quiet)
  const start = (testCase: Case, after: Promise<unknown>): Promise<CaseResult> => {
    const limitMs = listed[testCase.id] === undefined ? CASE_MS_MAX * busyness() : LISTED_MS_MAX
    const result = after.then(() => runCase(testCase, adapter, testCase.slow === true ? {} : { limitMs }))
    results.set(testCase.id, result)
    return result
  }
  const settled = (result: Promise<CaseResult>): Promise<unknown> => result.catch(() => {})
  let next = 0
  for (const testCase of cases.filter((testCase) => !needsQuiet(testCase))) {
    const at = next++ % AT_ONCE
    lines[at] = settled(start(testCase, lines[at] ?? quiet))
  }
  quiet = Promise.all(lines)
  for (const testCase of cases.filter(needsQuiet)) quiet = settled(start(testCase, quiet))
}

function needsQuiet({ client_request: actions, expect }: Case): boolean {
  const crowds = (action: Action): boolean => 'method' in action && (action.parallel ?? 0) >= CROWD
  // The client leaves by the clock: on a busy machine that would be before the backend has the request.
  const isTimed = (action: Action): boolean => 'method' in action && action.read?.close_after_ms !== undefined
  const all = Array.isArray(actions) ? actions : [actions]
  return expect.rss_growth_mib_lte !== undefined || all.some((action) => crowds(action) || isTimed(action))
}
