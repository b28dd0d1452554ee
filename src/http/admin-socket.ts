import { chmodSync, rmSync } from 'node:fs'

/** Listens on a Unix socket that lies in a folder of mode 0700 and is 0600 itself: the file permission is the credential. */
export function adminSocket(path: string, admin: { handle(request: Request): Promise<Response> }): { stop(): void } {
  rmSync(path, { force: true }) // left behind by a kill: the folder's lock is ours
  const server = Bun.serve({
    unix: path,
    fetch(request, self) {
      self.timeout(request, 0) // verifying a large ledger takes its time
      return admin.handle(request)
    },
  })
  chmodSync(path, 0o600)
  return {
    stop() {
      server.stop(true)
      rmSync(path, { force: true })
    },
  }
}
