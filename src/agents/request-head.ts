import { assert, Bug, isFieldValue } from '../lib/index.ts'
import type { OutgoingRequest } from './contract.ts'

const TARGET = /^\/[\x21-\x7e]*$/
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
/** What the agent says itself, or what would change how the message ends. */
const OWN_NAMES: ReadonlySet<string> = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'expect'])

/**
 * The head of a request as it goes on the wire, in latin1, with the empty line at its end. `host` is host and, where it
 * is not the scheme's own, port. Throws a `Bug` on a line break or another character that has no place in a head.
 */
export function writeRequestHead(host: string, request: OutgoingRequest): string {
  const { method, target, headers, body, rest } = request
  assert(TARGET.test(target), 'the target of a request must be a path without blanks')
  let head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${fieldLines(headers)}`
  if (rest !== undefined)
    head += rest.bodyBytes === null ? 'transfer-encoding: chunked\r\n' : `content-length: ${rest.bodyBytes}\r\n`
  else if (body !== null) head += `content-length: ${body.byteLength}\r\n`
  else if (method === 'POST') head += 'content-length: 0\r\n'
  return `${head}\r\n`
}

/** Lists that come again, as those of most requests do, are checked and written once. */
const known = new WeakMap<OutgoingRequest['headers'], string>()

function fieldLines(headers: OutgoingRequest['headers']): string {
  let lines = known.get(headers)
  if (lines === undefined) {
    lines = ''
    for (const [name, value] of headers) {
      if (!NAME.test(name) || OWN_NAMES.has(name))
        throw new Bug(`the header name ${JSON.stringify(name)} may not be sent`)
      if (!isFieldValue(value))
        throw new Bug(`the value of the header ${name} has a line break or a character outside latin1`)
      lines += `${name}: ${value}\r\n`
    }
    known.set(headers, lines)
  }
  return lines
}
