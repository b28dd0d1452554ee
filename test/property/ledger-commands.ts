import fc from 'fast-check'

/** One thing that happens to the ledger or its disk; `nth` picks among what there is, modulo. */
export type Command =
  | { readonly do: 'hold'; readonly account: number; readonly amount: number }
  | { readonly do: 'settle'; readonly nth: number; readonly input: number; readonly output: number }
  /** In one row with its hold, while that is not on its way to the disk. */
  | { readonly do: 'settleWithHold'; readonly nth: number; readonly input: number; readonly output: number }
  | { readonly do: 'void'; readonly nth: number }
  | { readonly do: 'extend'; readonly nth: number; readonly amount: number }
  | { readonly do: 'endAgain'; readonly nth: number }
  | { readonly do: 'enter'; readonly account: number; readonly amount: number }
  /** `isOver`: it ended with the beginning of the requests that come after it. */
  | { readonly do: 'grant'; readonly account: number; readonly amount: number; readonly isOver: boolean }
  | { readonly do: 'refund'; readonly nth: number; readonly amount: number }
  | { readonly do: 'endLots'; readonly account: number }
  | { readonly do: 'openStale'; readonly account: number }
  | { readonly do: 'commit' }
  | { readonly do: 'fail' }
  | { readonly do: 'heal' }
  | { readonly do: 'acknowledge'; readonly nth: number }

const is = <const Name extends string>(name: Name) => fc.constant(name)
const nth = fc.nat(20)
const units = fc.nat(40)
const account = fc.nat(2)
const amount = fc.nat(60)
const positive = fc.integer({ min: 1, max: 60 })

/** Any history of a ledger: holds and their ends, entries, credit that ends, and the disk's behaviour. */
export const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: is('hold'), account, amount }) },
    { weight: 4, arbitrary: fc.record({ do: is('settle'), nth, input: units, output: units }) },
    { weight: 3, arbitrary: fc.record({ do: is('settleWithHold'), nth, input: fc.nat(15), output: fc.nat(10) }) },
    { weight: 1, arbitrary: fc.record({ do: is('void'), nth }) },
    { weight: 2, arbitrary: fc.record({ do: is('extend'), nth, amount }) },
    { weight: 1, arbitrary: fc.record({ do: is('endAgain'), nth }) },
    { weight: 2, arbitrary: fc.record({ do: is('enter'), account, amount: fc.integer({ min: -60, max: 60 }) }) },
    { weight: 2, arbitrary: fc.record({ do: is('grant'), account, amount: positive, isOver: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: is('refund'), nth, amount: positive }) },
    { weight: 2, arbitrary: fc.record({ do: is('endLots'), account }) },
    { weight: 1, arbitrary: fc.record({ do: is('openStale'), account }) },
    { weight: 3, arbitrary: fc.record({ do: is('commit') }) },
    { weight: 1, arbitrary: fc.record({ do: is('fail') }) },
    { weight: 2, arbitrary: fc.record({ do: is('heal') }) },
    { weight: 4, arbitrary: fc.record({ do: is('acknowledge'), nth }) },
  ),
  { maxLength: 80, size: 'max' },
)
