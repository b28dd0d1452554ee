import { PassingMap } from './passing-map.ts'

/** A set of what is there for a short while: why it is no `Set`, `PassingMap` tells. */
export class PassingSet<T> {
  readonly #map = new PassingMap<T, null>()

  get size(): number {
    return this.#map.size
  }

  /** Who came before all others that are here; undefined: nobody is. */
  first(): T | undefined {
    return this.#map.keys().next().value
  }

  has(thing: T): boolean {
    return this.#map.has(thing)
  }

  add(thing: T): void {
    this.#map.set(thing, null)
  }

  delete(thing: T): boolean {
    return this.#map.delete(thing)
  }

  clear(): void {
    this.#map.clear()
  }

  /** In the order in which they came. Whoever walks along may delete the one he is at. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#map.keys()
  }
}
