import { describe, expect, test } from 'bun:test'
import { readJunit } from '../../../tools/junit.ts'

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="4" assertions="2" failures="2" skipped="1" time="0.02">
  <testsuite name="a.test.ts" file="a.test.ts" tests="4" time="0.25" hostname="vm">
    <testcase name="alone" classname="" time="0" file="a.test.ts" line="1" assertions="1" />
    <testsuite name="outer &amp; &lt;x&gt;" file="a.test.ts" line="2" hostname="vm">
      <testcase name="bad &quot;q&quot; &#233;" classname="outer" time="0.002" file="a.test.ts" line="3" assertions="1">
        <failure type="AssertionError" message="a &gt; b &lt;/testcase&gt;">AssertionError: a &gt; b&#10;  at &lt;x&gt;</failure>
      </testcase>
      <testsuite name="inner" file="a.test.ts" line="4" hostname="vm">
        <testcase name="later" classname="inner &gt; outer" time="0" file="a.test.ts" line="5" assertions="0">
          <skipped message="TODO" />
        </testcase>
      </testsuite>
      <testcase name="(unnamed)" classname="outer" time="0" file="a.test.ts" assertions="0">
        <failure type="Error" message="late">Error: late</failure>
      </testcase>
    </testsuite>
  </testsuite>
  <testsuite name="b/c.test.ts" file="b/c.test.ts" tests="1" time="1.5" hostname="vm">
    <testcase name="alone" classname="" time="0" file="b/c.test.ts" line="2" assertions="1" />
  </testsuite>
</testsuites>`

describe('readJunit', () => {
  test('names each file, and each of its tests with the describes around it, and its outcome', () => {
    expect(readJunit(REPORT)).toEqual([
      {
        file: 'a.test.ts',
        seconds: 0.25,
        tests: [
          { name: 'alone', line: 1, outcome: 'passed' },
          { name: 'outer & <x> > bad "q" é', line: 3, outcome: 'failed' },
          { name: 'outer & <x> > inner > later', line: 5, outcome: 'skipped' },
          { name: 'outer & <x> > (unnamed)', line: null, outcome: 'failed' },
        ],
      },
      { file: 'b/c.test.ts', seconds: 1.5, tests: [{ name: 'alone', line: 2, outcome: 'passed' }] },
    ])
  })

  test('finds nothing in a report that was cut off before its first test', () => {
    expect(readJunit('<?xml version="1.0"?>\n<testsuites name="bun')).toEqual([])
  })
})
