/** Whether a value says something: it is neither null nor absent. */
export const given = (value: unknown): boolean => value !== null && value !== undefined
