const RENEWED_AFTER = 32

/**
 * A map of what is there for a short while, one thing after the other. JavaScriptCore's own `Map` links the tables it has outgrown to those that came
 * after: once one of them is old, all that ever passed through the map stays in memory until the next full collection, with all it refers to
 * (docs/decisions/027). This one begins anew with what is in it whenever many have left: what lives long is no table of the past.
 */
export class PassingMap<K, V> {
  #map = new Map<K, V>()
  #left = 0

  get size(): number {
    return this.#map.size
  }

  has(key: K): boolean {
    return this.#map.has(key)
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  set(key: K, value: V): void {
    this.#map.set(key, value)
  }

  delete(key: K): boolean {
    if (!this.#map.delete(key)) return false
    if (++this.#left >= Math.max(RENEWED_AFTER, this.#map.size)) this.#beginAnew(this.#map)
    return true
  }

  clear(): void {
    this.#beginAnew([])
  }

  /** In the order in which they came. Whoever walks along may delete the one he is at. */
  keys(): IterableIterator<K> {
    return this.#map.keys()
  }

  /** As `keys`. */
  values(): IterableIterator<V> {
    return this.#map.values()
  }

  #beginAnew(entries: Iterable<readonly [K, V]>): void {
    this.#map = new Map(entries)
    this.#left = 0
  }
}
