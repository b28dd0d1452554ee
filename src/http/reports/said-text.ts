import { isRecord, SseSplitter, sseEvent } from '../../lib/index.ts'

/** What a model said in words; null: nothing of the kind. */
export interface SaidText {
  readonly completion: string | null
  readonly reasoning: string | null
}

/**
 * The words of an answer as it was delivered, in any of the dialects: an object, or of a stream its events as a text. What was cut is told as far
 * as it goes. Of several choices all are told, in their order.
 */
export function saidText(answer: unknown): SaidText {
  const said = new Said()
  if (typeof answer === 'string') for (const event of eventsOf(answer)) said.addEvent(event)
  else said.addAnswer(answer)
  return { completion: textOrNull(said.completion), reasoning: textOrNull(said.reasoning) }
}

class Said {
  readonly completion: string[] = []
  readonly reasoning: string[] = []

  addEvent(event: Json): void {
    for (const choice of listOf(event.choices)) this.#addMessage(choice.delta, choice)
    const { type, delta } = event
    if (type === 'content_block_delta') this.#addPart(delta)
    if (typeof delta !== 'string') return
    if (type === 'response.output_text.delta') this.completion.push(delta)
    if (type === 'response.reasoning_text.delta' || type === 'response.reasoning_summary_text.delta')
      this.reasoning.push(delta)
  }

  addAnswer(answer: unknown): void {
    if (!isRecord(answer)) return
    for (const choice of listOf(answer.choices)) this.#addMessage(choice.message, choice)
    for (const part of listOf(answer.content)) this.#addPart(part)
    for (const item of listOf(answer.output)) {
      for (const part of listOf(item.content))
        addText(part.type === 'reasoning_text' ? this.reasoning : this.completion, part.text)
      for (const part of listOf(item.summary)) addText(this.reasoning, part.text)
    }
  }

  /** OpenAI's: of a chat the message or a piece of it, of a completion the choice itself. */
  #addMessage(message: unknown, choice: Json): void {
    addText(this.completion, choice.text)
    if (!isRecord(message)) return
    addText(this.completion, message.content)
    addText(this.reasoning, message.reasoning ?? message.reasoning_content)
  }

  /** Anthropic's: of a message or of a stream. */
  #addPart(part: unknown): void {
    if (!isRecord(part)) return
    addText(this.completion, part.text)
    addText(this.reasoning, part.thinking)
  }
}

type Json = Readonly<Record<string, unknown>>

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const textOrNull = (pieces: readonly string[]): string | null => (pieces.length === 0 ? null : pieces.join(''))

function addText(pieces: string[], text: unknown): void {
  if (typeof text === 'string') pieces.push(text)
}

function eventsOf(text: string): Json[] {
  const bytes = Buffer.from(text)
  const splitter = new SseSplitter(bytes.length)
  splitter.push(bytes)
  splitter.finish()
  const events: Json[] = []
  while (splitter.next()) {
    const { data } = sseEvent(splitter.bytes, splitter.start, splitter.end)
    const event = data === null ? null : objectOrNull(data)
    if (event !== null) events.push(event)
  }
  return events
}

/** Null for `[DONE]`, and where it was cut. */
function objectOrNull(data: Uint8Array): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString())
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
