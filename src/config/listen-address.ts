import type { ListenAddress } from '../domain/index.ts'
import { isListenHost } from './listen-host.ts'

const ADDRESS = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/
const PORT_MAX = 65_535

/** Where to listen, of `127.0.0.1:9090` or `[::1]:9090`; null for anything else. */
export function listenAddress(text: string): ListenAddress | null {
  const [, bracketed, plain, digits] = ADDRESS.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host === undefined || !isListenHost(host) || port > PORT_MAX ? null : { host, port }
}
