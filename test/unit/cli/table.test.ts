import { describe, expect, test } from 'bun:test'
import { fields, plain, table } from '../../../src/cli/table.ts'

const COLUMNS = [{ name: 'name' }, { name: 'balance', right: true }, { name: 'note' }]

describe('table', () => {
  test('is as wide as its widest cells; numbers stand right; no line ends in a space', () => {
    const text = table(
      COLUMNS,
      [
        ['team', '$5.00', ''],
        ['a longer name', '$12,345.00', 'hello'],
      ],
      'nothing',
    )
    expect(text).toBe(
      ['NAME              BALANCE  NOTE', 'team                $5.00', 'a longer name  $12,345.00  hello', ''].join(
        '\n',
      ),
    )
  })

  test('says so when there are no rows', () => {
    expect(table(COLUMNS, [], 'no accounts')).toBe('no accounts\n')
  })

  test('counts the columns of a terminal, not characters', () => {
    const [head, wide] = table([{ name: 'a' }, { name: 'b' }], [['漢字', 'x']], '').split('\n')
    expect(head).toBe('A     B')
    expect(wide).toBe('漢字  x')
  })
})

test('fields: a name and its value a line', () => {
  expect(
    fields([
      ['id', 'acc_1'],
      ['available', '$5.00'],
      ['note', ''],
    ]),
  ).toBe('id         acc_1\navailable  $5.00\nnote\n')
})

test('plain: what others chose cannot move the cursor, colour the line or turn its direction', () => {
  expect(plain('a\u001b[31mb\nc\u202ed')).toBe('a?[31mb?c?d')
  expect(plain('Zoë 漢')).toBe('Zoë 漢')
})
