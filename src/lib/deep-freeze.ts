/**
 * Freezes a plain value and everything in it (objects, arrays, values of maps), and answers the same value. A `Map` itself cannot be
 * frozen: give it out as a `ReadonlyMap`.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  const inner: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value)
  for (const item of inner) deepFreeze(item)
  return value
}
