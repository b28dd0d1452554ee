import { InvalidArgumentError } from 'commander'

/** A port as it is written. Throws commander's `InvalidArgumentError`. */
export function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}
