import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of a test's own, for its owner alone (0700). */
export interface TemporaryFolder extends Disposable {
  readonly path: string
  /** A path in it. */
  at(...names: string[]): string
}

/** Makes one, empty; it goes with all that is in it when it is disposed of. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'anyrouter-'))
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
