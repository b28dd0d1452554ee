/** How many connections all agents together may have: each holds a file descriptor. */
export class ConnectionRoom {
  /** What may be opened from now on; what is open beyond it stays. */
  connectionsMax: number
  readonly #members = new Set<RoomMember>()
  #taken = 0

  constructor(connectionsMax: number) {
    this.connectionsMax = connectionsMax
  }

  /** Connections that dial, are open, or were given up and cannot be told. */
  get taken(): number {
    return this.#taken
  }

  /** Place for one more; the connection that has rested the longest anywhere makes it where it must. False: there is none. */
  enter(): boolean {
    if (this.#taken >= this.connectionsMax) this.#longestIdle()?.closeLongestIdle()
    if (this.#taken >= this.connectionsMax) return false
    this.#taken++
    return true
  }

  /** As `enter`, but nobody else's connection is closed for it. */
  enterIfFree(): boolean {
    return this.#taken < this.connectionsMax && this.enter()
  }

  leave(): void {
    this.#taken--
  }

  join(member: RoomMember): void {
    this.#members.add(member)
  }

  part(member: RoomMember): void {
    this.#members.delete(member)
  }

  #longestIdle(): RoomMember | null {
    let found: RoomMember | null = null
    let sinceUs = Number.POSITIVE_INFINITY
    for (const member of this.#members) {
      const memberSinceUs = member.idleSinceUs
      if (memberSinceUs === null || memberSinceUs >= sinceUs) continue
      found = member
      sinceUs = memberSinceUs
    }
    return found
  }
}

export interface RoomMember {
  /** Since when its longest-idle connection rests; null when none does. */
  readonly idleSinceUs: number | null
  closeLongestIdle(): void
}
