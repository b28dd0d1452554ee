import type { ProviderError } from './outcome.ts'

const MARK = /^[\w.:-]{1,64}$/

/** What a log may hold of a provider's error: its status, type and code. Its message may quote the prompt. */
export function errorMarks({ status, type, code }: ProviderError): string {
  const marks = [type, code].filter((mark) => mark !== null && MARK.test(mark))
  return `the provider reported an error (${[`status ${status}`, ...marks].join(', ')})`
}
