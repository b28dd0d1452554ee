import { InvalidArgumentError } from 'commander'
import { plain } from './table.ts'

/** Reads a flag's value that may be `none`. */
export const orNone =
  <T>(read: (text: string) => T) =>
  (text: string): OrNone<T> =>
    text === NONE ? NONE : read(text)

/** Takes a bound away; commander makes an empty text of null. */
export const NONE = 'none'

export type OrNone<T> = T | typeof NONE

/** Names separated by commas. */
export function listOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.some((item) => item === '')) throw new InvalidArgumentError('Separate them by single commas.')
  return items
}

/** The other way round. */
export const listText = (items: readonly string[]): string => items.map(plain).join(',')

/** A body of the fields that were given; `none` is null there. */
export const bodyOf = (all: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value === NONE ? null : value]),
  )
