import { type BackendId, isOwnPlace } from '../domain/index.ts'
import { Watch } from './watch.ts'

/** The watch of each backend of the catalogue, made when it is first asked for. */
export class Watches {
  readonly #watches = new Map<BackendId, Watch>()

  of(backend: BackendId): Watch {
    if (isOwnPlace(backend)) return new Watch() // nothing is ever counted against one: its credential has the blame
    let watch = this.#watches.get(backend)
    if (watch === undefined) {
      watch = new Watch()
      this.#watches.set(backend, watch)
    }
    return watch
  }
}
