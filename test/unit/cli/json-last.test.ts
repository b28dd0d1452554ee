import { expect, test } from 'bun:test'
import { Command } from 'commander'
import { jsonLast } from '../../../src/cli/json-last.ts'

const program = new Command('anyrouter').option('--data <folder>')
program.command('accounts').command('list').option('--json')
program.command('usage').option('--json').option('--by <fields>')

test.each([
  [['--json', 'accounts', 'list'], 'accounts list --json'],
  [['accounts', '--json', 'list'], 'accounts list --json'],
  [['--data', 'usage', '--json', 'usage', '--by', 'day'], '--data usage usage --json --by day'],
  [['accounts', 'list', '--json'], 'accounts list --json'],
  [['usage', '--by', '--json'], 'usage --by --json'],
  [['--json'], '--json'],
  [['--json', 'nothing'], '--json nothing'],
  [[], ''],
])('%p', (words, expected) => {
  expect(jsonLast(words, program).join(' ')).toBe(expected)
})
