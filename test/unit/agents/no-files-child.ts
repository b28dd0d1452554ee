// Asks the server at a port while this process has every file open that it may, and again when it has not. Tells both ends.
import { closeSync, openSync } from 'node:fs'
import { createResolver } from '../../../src/agents/resolver.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { openAllFiles } from '../../support/no-files.ts'
import { agentOf, ask, backendAt } from './probe.ts'

const port = Number(process.argv[2])
// A name server's answer needs a file, too.
const lookup = async () => {
  closeSync(openSync('/dev/null', 'r'))
  return [{ ip: '127.0.0.1', ttlS: 60 }]
}
const resolver = createResolver({ lookup, clock: fakeClock() })
const byAddress = agentOf(backendAt(port))
const byName = agentOf(backendAt(`http://name.example:${port}/v1`), {}, { resolver })

const files = openAllFiles()
const without = [await ask(byAddress), await ask(byName)]
for (const file of files) closeSync(file)
const withSome = [await ask(byAddress), await ask(byName)]
console.log(JSON.stringify({ without, withSome: withSome.map(({ kind }) => kind) }))
process.exit(0)
