import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readTree } from './tidy/read-tree.ts'
import { findingText } from './tidy/rule.ts'
import { RULES } from './tidy/rules/index.ts'

const repository = await readTree(join(import.meta.dir, '..'))
const broken = await readTree(join(import.meta.dir, 'fixtures/tidy'))

describe('this repository', () => {
  test.each(RULES.map((rule, at) => [at + 1, rule.name, rule] as const))('%d %s', (_number, _name, rule) => {
    const findings = [...rule.check(repository)].map((finding) => findingText(rule, finding))
    if (findings.length > 0) throw new Error(`${findings.length} findings\n${findings.join('\n')}`)
  })
})

describe('a tree that breaks every rule', () => {
  const expected = broken.text('expected.txt').trimEnd().split('\n')
  test.each(RULES.map((rule) => [rule.name, rule] as const))('%s', (name, rule) => {
    const found = [...rule.check(broken)].map((finding) => findingText(rule, finding))
    const wanted = expected.filter((line) => line.split(' ')[1] === `${name}:`)
    expect(wanted).not.toBeEmpty()
    expect(found.toSorted()).toEqual(wanted.toSorted())
  })
})
