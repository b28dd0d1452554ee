import fc from 'fast-check'

/** One thing that happens in a life of the process, or between two; `nth` picks among the open holds, modulo. */
export type LifeCommand =
  | { readonly do: 'hold'; readonly account: number; readonly amount: number }
  | { readonly do: 'settle'; readonly nth: number; readonly input: number }
  | { readonly do: 'settleWithHold'; readonly nth: number; readonly input: number }
  | { readonly do: 'void'; readonly nth: number }
  | { readonly do: 'checkpoint'; readonly nth: number; readonly units: number }
  | { readonly do: 'extend'; readonly nth: number; readonly units: number; readonly amount: number }
  | { readonly do: 'enter'; readonly account: number; readonly amount: number }
  | { readonly do: 'refund'; readonly nth: number; readonly amount: number }
  | { readonly do: 'grant'; readonly amount: number; readonly lifeMs: number }
  | { readonly do: 'endLots' }
  /** Somebody sets the wall clock. */
  | { readonly do: 'clock'; readonly ms: number }
  | { readonly do: 'failCommit' | 'flush' | 'restart' }
  | { readonly do: 'kill'; readonly when: 'before_commit' | 'after_commit' }

const is = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names)
const account = fc.nat(1)
const nth = fc.nat(20)
const units = fc.nat(40)
const DAY_MS = 86_400_000
const lives = fc.integer({ min: 1, max: DAY_MS })

/** Any number of lives, up to 60 things long. */
export const lifeCommands: fc.Arbitrary<LifeCommand[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: is('hold'), account, amount: fc.nat(60) }) },
    { weight: 4, arbitrary: fc.record({ do: is('settle'), nth, input: units }) },
    { weight: 3, arbitrary: fc.record({ do: is('settleWithHold'), nth, input: fc.nat(15) }) },
    { weight: 1, arbitrary: fc.record({ do: is('void'), nth }) },
    { weight: 2, arbitrary: fc.record({ do: is('checkpoint'), nth, units }) },
    { weight: 2, arbitrary: fc.record({ do: is('extend'), nth, units, amount: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ do: is('enter'), account, amount: fc.integer({ min: -60, max: 60 }) }) },
    { weight: 2, arbitrary: fc.record({ do: is('refund'), nth, amount: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ do: is('grant'), amount: fc.integer({ min: 1, max: 60 }), lifeMs: lives }) },
    { weight: 1, arbitrary: fc.record({ do: is('endLots') }) },
    { weight: 1, arbitrary: fc.record({ do: is('clock'), ms: fc.integer({ min: -DAY_MS, max: 2 * DAY_MS }) }) },
    { weight: 3, arbitrary: fc.record({ do: is('flush') }) },
    { weight: 1, arbitrary: fc.record({ do: is('failCommit', 'restart') }) },
    { weight: 1, arbitrary: fc.record({ do: is('kill'), when: is('before_commit', 'after_commit') }) },
  ),
  { maxLength: 60, size: 'max' },
)
