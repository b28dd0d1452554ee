import { GatewayError } from '../domain/index.ts'
import type { JsonKind } from '../lib/index.ts'

/**
 * The first fault found in a request's fields, kept until the whole body has proved to be JSON. Texts are like OpenAI's;
 * values are never quoted (they may be part of a prompt).
 */
export class RequestProblem {
  #first: GatewayError | null = null

  /** Throws the first fault; nothing when there is none. */
  raise(): void {
    if (this.#first !== null) throw this.#first
  }

  missing(param: string, hint: string | null): void {
    this.invalid(param, `Missing required parameter: '${param}'${hint === null ? '' : ` (${hint})`}.`)
  }

  wrongKind(param: string, expected: string, kind: JsonKind): void {
    this.invalid(param, `Invalid type for '${param}': expected ${expected}, but got ${KIND_WORDS[kind]} instead.`)
  }

  invalid(param: string, message: string): void {
    this.#first ??= new GatewayError('invalid_request', message, { param })
  }

  duplicate(param: string): void {
    this.#first ??= new GatewayError('duplicate_field', `The field '${param}' is given twice.`, { param })
  }
}

/** A kind with its article, as messages name it. */
export const KIND_WORDS: Readonly<Record<JsonKind, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  true: 'a boolean',
  false: 'a boolean',
  null: 'null',
}
