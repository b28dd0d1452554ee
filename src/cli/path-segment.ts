import { CommandFailure, EXIT } from './exit.ts'

/**
 * One segment of a path of the admin interface, of what names something there. Throws `CommandFailure` (wrong usage) for what would make
 * another path of it: nothing, as a shell gives for a variable that is not set, and a dot or two, which are steps in a URL.
 */
export function pathSegment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new CommandFailure(`'${name}' names nothing: write a name or an id.`, EXIT.usage)
  return encodeURIComponent(name)
}
