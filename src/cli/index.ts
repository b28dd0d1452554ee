export { runCommandLine } from './command-line.ts'
export { systemTerminal, type Terminal } from './terminal.ts'
