import type { Backend } from '../domain/index.ts'
import { assert } from '../lib/index.ts'
import type { Agent } from './contract.ts'
import type { Outbound } from './outbound.ts'
import { OwnPlaceAgent } from './own-place-agent.ts'

/** The agents of accounts' own places, each for as long as somebody uses it. */
export class OwnPlaces {
  readonly #outbound: Pick<Outbound, 'send'> | null
  readonly #agents = new Map<string, OwnPlaceAgent>()
  #isClosed = false

  /** Without a way out there are none. */
  constructor(outbound: Pick<Outbound, 'send'> | null) {
    this.#outbound = outbound
  }

  /** A place never changes, so its id is enough. */
  of(backend: Backend): Agent {
    const known = this.#agents.get(backend.id)
    if (known !== undefined) return known
    assert(this.#outbound !== null, 'there is no way to own places')
    const made = new OwnPlaceAgent(backend, this.#outbound, () => {
      if (this.#agents.get(backend.id) === made) this.#agents.delete(backend.id)
    })
    if (this.#isClosed) made.close()
    this.#agents.set(backend.id, made)
    return made
  }

  close(): void {
    this.#isClosed = true
    for (const agent of this.#agents.values()) agent.close()
  }
}
