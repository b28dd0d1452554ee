import { expect, test } from 'bun:test'
import { CommandFailure } from '../../../src/cli/exit.ts'
import { pathSegment } from '../../../src/cli/path-segment.ts'

test('what names something stays one segment of the path', () => {
  for (const name of ['team', 'a/b', '%2e', '...', '?', ' ']) {
    const { pathname } = new URL(`http://admin/accounts/${pathSegment(name)}`)
    expect(decodeURIComponent(pathname.slice('/accounts/'.length))).toBe(name)
  }
})

test('what would be another path names nothing', () => {
  for (const name of ['', '.', '..']) expect(() => pathSegment(name)).toThrow(CommandFailure)
})
