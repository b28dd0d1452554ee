import { expect } from 'bun:test'

/** The entries of a `Server-Timing` value by name, in hundredths of a millisecond. Checks on the way that it is one, and that all its sums hold exactly as printed. */
export function timingIn(value: string | null): Map<string, number> {
  const entries = new Map(
    (value ?? '').split(', ').map((entry): [string, number] => {
      const match = /^([a-z0-9-]+);dur=(\d+)\.(\d\d)(;desc="[^"]*")?$/.exec(entry)
      expect([entry, match]).toEqual([entry, expect.anything()])
      return [match?.[1] ?? '', Number(`${match?.[2]}${match?.[3]}`)]
    }),
  )
  const of = (name: string): number => entries.get(name) ?? 0
  const sumOf = (prefix: string): number =>
    [...entries].filter(([name]) => name.startsWith(prefix)).reduce((sum, [, units]) => sum + units, 0)
  expect(['gw', 'post', 'total'].filter((name) => !entries.has(name))).toEqual([])
  expect(of('gw') + of('upstream') + of('post')).toBe(of('total'))
  expect(sumOf('gw-')).toBe(of('gw'))
  expect(sumOf('upstream-')).toBe(of('upstream'))
  return entries
}
