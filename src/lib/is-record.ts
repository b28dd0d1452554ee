/** Whether a value, parsed from JSON or YAML, is an object with fields: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
