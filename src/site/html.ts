/** A piece of HTML that is safe to put into a page. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | readonly Html[]

/** A template for HTML: what is put into it is escaped, but for what is `Html` already. */
export function html(literals: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(
    literals.map((literal, at) => literal + (at < values.length ? render(values[at] ?? '') : '')).join(''),
  )
}

function render(value: Piece): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map((piece) => piece.text).join('')
  return escapeHtml(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter)
