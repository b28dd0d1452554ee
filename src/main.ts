import { runCommandLine, systemTerminal } from './cli/index.ts'

process.exit(await runCommandLine(process.argv.slice(2), systemTerminal()))
