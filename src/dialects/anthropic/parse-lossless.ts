/** Reads JSON so that writing it again gives every number digit for digit: to be passed on, never to be reckoned with. Throws `SyntaxError`. */
export const parseLossless = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value,
  )
