/** One test, as bun's JUnit report tells of it. */
export interface TestCase {
  /** With the names of the `describe`s around it, outermost first. */
  readonly name: string
  readonly line: number | null
  readonly outcome: 'passed' | 'failed' | 'skipped'
}

/** What one file came to. */
export interface FileResult {
  /** As `bun test` names it: from the folder it runs in. */
  readonly file: string
  /** From the moment that it was loaded. */
  readonly seconds: number
  readonly tests: readonly TestCase[]
}

const TAG = /<(\/?)(testsuites|testsuite|testcase|failure|error|skipped)\b((?:[^">]|"[^"]*")*)>/g

/**
 * Reads the JUnit report that `bun test` writes of its files, without those that have no test: one tag after the other,
 * text between tags left aside (bun escapes every `<` of it).
 */
export function readJunit(xml: string): FileResult[] {
  const files: FileResult[] = []
  let tests: TestCase[] = []
  const suites: string[] = []
  for (const [, closing, tag, attributes = ''] of xml.matchAll(TAG)) {
    if (tag === 'testsuite') {
      if (closing) suites.pop()
      else if (!attributes.endsWith('/')) {
        const name = attribute(attributes, 'name')
        // The outermost suite is the file.
        if (suites.length === 0) {
          tests = []
          files.push({ file: name, seconds: Number(attribute(attributes, 'time')), tests })
        }
        suites.push(name)
      }
      continue
    }
    if (closing || tag === 'testsuites') continue
    if (tag === 'testcase') {
      const name = [...suites.slice(1), attribute(attributes, 'name')].join(' > ')
      const line = Number.parseInt(attribute(attributes, 'line'), 10)
      tests.push({ name, line: Number.isNaN(line) ? null : line, outcome: 'passed' })
      continue
    }
    const test = tests.pop()
    if (test !== undefined) tests.push({ ...test, outcome: tag === 'skipped' ? 'skipped' : 'failed' })
  }
  return files
}

function attribute(attributes: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
  return value
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}
