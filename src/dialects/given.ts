/** Whether a value says something: it is neither null nor absent. */
export const given = (value: unknown): boolean => value !== null && value !== undefined

/** The fields that say something. */
export const givenFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => given(value)))
