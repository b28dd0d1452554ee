import { InvalidArgumentError } from 'commander'

/** A path as it is written. Never an empty one, which would be the current folder. Throws commander's `InvalidArgumentError`. */
export function pathOf(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Write a path; . is the current folder.')
  return text
}
