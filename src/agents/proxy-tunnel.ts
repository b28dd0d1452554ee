import type { OutboundProxy } from '../domain/index.ts'
import { type OwnedSocket, type SocketOwner, socketErrorText } from './owned-socket.ts'

/** Told once, unless the tunnel was left; messages never repeat what the proxy said, nor what it was shown. */
export interface TunnelUser {
  built(): void
  failed(message: string): void
}

const HEAD_BYTES_MAX = 16 * 1024
const HEAD_END = '\r\n\r\n'

/** Asks a proxy for a way to `host:port` (CONNECT, RFC 9110, 9.3.6) and owns the socket until the answer is there. */
export class ProxyTunnel implements SocketOwner {
  readonly #user: TunnelUser
  #head = Buffer.alloc(0)
  #isOver = false

  /** `authority` is host and port, an IPv6 address in brackets. */
  constructor(socket: OwnedSocket, authority: string, proxy: OutboundProxy, user: TunnelUser) {
    this.#user = user
    const credential = proxy.authorization === null ? '' : `proxy-authorization: ${proxy.authorization}\r\n`
    const head = `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credential}\r\n`
    if (socket.write(head) < head.length) this.#fail('the proxy took no request') // an empty socket takes 16 KB or is broken
  }

  onData(bytes: Buffer): void {
    if (this.#isOver) return
    this.#head = Buffer.concat([this.#head, bytes])
    const end = this.#head.indexOf(HEAD_END)
    if (end < 0 ? this.#head.length > HEAD_BYTES_MAX : end > HEAD_BYTES_MAX) {
      this.#fail(`the head of the proxy's answer is larger than ${HEAD_BYTES_MAX} bytes`)
      return
    }
    if (end < 0) return
    const status = /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(this.#head.toString('latin1', 0, end + 2))?.[1]
    if (status === undefined) this.#fail('the proxy answered something that is not HTTP/1.1')
    else if (status === '407') this.#fail('the proxy asks for another credential (407)')
    else if (!status.startsWith('2')) this.#fail(`the proxy refused with status ${status}`)
    else if (this.#head.length > end + HEAD_END.length) this.#fail('the proxy sent bytes before they were asked for')
    else {
      this.#isOver = true
      this.#user.built()
    }
  }

  onEnd(): void {
    this.#fail('the proxy closed the connection before it answered')
  }

  onClosed(error: Error | undefined): void {
    this.#fail(
      error === undefined
        ? 'the proxy closed the connection before it answered'
        : `the proxy: ${socketErrorText(error)}`,
    )
  }

  #fail(message: string): void {
    if (this.#isOver) return
    this.#isOver = true
    queueMicrotask(() => this.#user.failed(message))
  }

  onOpen(): void {}
  onHandshake(): void {}
  onConnectError(): void {}
  onDrain(): void {}
}
