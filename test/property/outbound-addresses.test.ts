import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createOutbound } from '../../src/agents/index.ts'
import { fakeClock } from '../support/fake-clock.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const settings = () => ({ allowPrivate: [], ports: [443], caFile: null })
const outbound = createOutbound({ clock: fakeClock(), settings, ownAddresses: () => [] })

/** First and last of ranges that no customer may reach. */
const RANGES: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['224.0.0.0', '255.255.255.255'],
]

const numberOf = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const octets = (ip: number): number[] => [24, 16, 8, 0].map((shift) => Math.floor(ip / 2 ** shift) % 256)
const hex = (number: number, size = 0): string => number.toString(16).padStart(size, '0')
const groups = (ip: number): string => `${hex(Math.floor(ip / 65_536))}:${hex(ip % 65_536)}`

const refused = fc
  .constantFrom(...RANGES)
  .chain(([first, last]) => fc.integer({ min: numberOf(first), max: numberOf(last) }))

/** One number in one of the ways that programs read it. */
const digits = fc.constantFrom(
  (number: number) => String(number),
  (number: number) => `0x${hex(number)}`,
  (number: number) => `0X${hex(number, 10).toUpperCase()}`,
  (number: number) => `0${number.toString(8)}`,
  (number: number) => `000${number.toString(8)}`,
)

/** 1 to 4 parts, the last of which holds what is left. */
const dotted = fc
  .tuple(refused, fc.integer({ min: 1, max: 4 }), fc.array(digits, { minLength: 4, maxLength: 4 }), fc.boolean())
  .map(([ip, size, ways, hasDot]) => {
    const parts = octets(ip).slice(0, size - 1)
    const last = ip % 256 ** (5 - size)
    return `${[...parts, last].map((part, at) => ways[at]?.(part)).join('.')}${hasDot ? '.' : ''}`
  })

/** The ways in which IPv6 stands for IPv4. */
const embedded = fc
  .tuple(
    refused,
    fc.constantFrom(
      (ip: number) => `::ffff:${groups(ip)}`,
      (ip: number) => `::ffff:${octets(ip).join('.')}`,
      (ip: number) => `0:0:0:0:0:FFFF:${groups(ip)}`,
      (ip: number) => `::${groups(ip)}`,
      (ip: number) => `::ffff:0:${groups(ip)}`,
      (ip: number) => `64:ff9b::${groups(ip)}`,
      (ip: number) => `64:ff9b:1::${groups(ip)}`,
      (ip: number) => `2002:${groups(ip)}::1`,
      (ip: number) => `2001:0:808:808:0:0:${groups(2 ** 32 - 1 - ip)}`,
    ),
  )
  .map(([ip, write]) => `[${write(ip)}]`)

const local = fc
  .tuple(
    fc.constantFrom('fe8', 'feb', 'fec', 'fc0', 'fd4', 'ff0'),
    fc.nat(15),
    fc.array(fc.nat(65_535), { minLength: 7, maxLength: 7 }),
  )
  .map(([start, digit, rest]) => `[${start}${hex(digit)}:${rest.map((group) => hex(group)).join(':')}]`)

test('no notation of an address that is not public passes', () => {
  fc.assert(
    fc.property(fc.oneof(dotted, embedded, local), (host) => {
      expect(outbound.refusal(`https://${host}/`)).not.toBeNull()
    }),
    { numRuns: RUNS * 5 },
  )
})

test('an IPv4 address that is in none of these ranges passes, in every notation', () => {
  const elsewhere = fc
    .integer({ min: numberOf('11.0.0.0'), max: numberOf('100.63.255.255') })
    .filter((ip) => !RANGES.some(([first, last]) => ip >= numberOf(first) && ip <= numberOf(last)))
  fc.assert(
    fc.property(elsewhere, digits, (ip, write) => {
      expect(outbound.refusal(`https://${write(ip)}/`)).toBeNull()
      expect(outbound.refusal(`https://[::ffff:${groups(ip)}]/`)).toBeNull()
    }),
    { numRuns: RUNS },
  )
})
