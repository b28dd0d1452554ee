import { rmSync } from 'node:fs'

/** Listens on a Unix socket that lies in a folder of mode 0700 and is 0600 itself: the file permission is the credential. */
export function adminSocket(path: string, admin: { handle(request: Request): Promise<Response> }): { stop(): void } {
  rmSync(path, { force: true }) // left behind by a kill: the folder's lock is ours
  const options = { unix: path, fetch: (request: Request) => admin.handle(request), ...NO_IDLE_LIMIT }
  const server = forOwnerAlone(() => Bun.serve(options))
  return {
    stop() {
      server.stop(true)
      rmSync(path, { force: true })
    },
  }
}

/** Verifying a large ledger takes its time. On a Unix socket Bun (1.4.5) gives no request a limit of its own; its types do not know this one there. */
const NO_IDLE_LIMIT: object = { idleTimeout: 0 }

/** What is made meanwhile has mode 0600 from its first moment on: between a socket's making and a change of its mode somebody could connect. */
function forOwnerAlone<T>(make: () => T): T {
  const before = process.umask(0o177)
  try {
    return make()
  } finally {
    process.umask(before)
  }
}
