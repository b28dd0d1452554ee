/** Cases that cannot be played on the wire, and the tests of our own that stand for them: each file, and words of the test in it. */
export const OWN_TESTS: Readonly<Record<string, readonly (readonly [file: string, words: string])[]>> = {
  'bill-orphan-hold-restart': [
    ['test/crash/kill.test.ts', 'the ledger is clean after each, and nothing is settled twice'],
    ['test/unit/store/recover.test.ts', 'before its commit: fatal; the next start recovers the hold'],
  ],
  'db-async-transaction': [
    ['test/unit/store/transactions.test.ts', 'no promise is waited for inside of a transaction'],
    ['test/unit/store/change-notes.test.ts', 'the writer ends %s'],
  ],
  'clock-backwards': [
    ['test/unit/accounts/limits.test.ts', 'under a clock that was set back counts for a minute, no longer'],
    ['test/unit/health/health.test.ts', 'last at most as long as they were meant to, where the clock was set back'],
    ['test/unit/lib/steady-clock.test.ts', 'goes on by the monotonic clock, whatever the wall clock is set to'],
  ],
  'ui-xss': [['test/unit/site/front-page.test.ts', 'escapes every value']],
}
