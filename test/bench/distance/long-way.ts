import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Two network namespaces and a link between them that takes its time. */
export interface LongWay extends AsyncDisposable {
  /** Starts a program at one end of it; its standard output is read up to its first line. */
  start(end: 'near' | 'far', argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Running>
  /** Runs a program at one end to its end; answers what it said. */
  run(end: 'near' | 'far', argv: readonly string[]): Promise<string>
  /** From now on packets are swallowed, as where a cable was cut. */
  cut(): void
  mend(): void
}

export interface Running {
  /** What it said first. */
  readonly said: string
  kill(signal?: NodeJS.Signals): Promise<number>
}

export const FAR_ADDRESS = '10.77.1.2'
const NEAR_ADDRESS = '10.77.1.1'

/** Why this machine has no such link; null when it may have one. */
export function wayObstacle(): string | null {
  if (process.getuid?.() !== 0) return 'it needs root'
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK)
  } catch {
    return '/dev/net/tun is missing'
  }
  const missing = ['ip', 'cc'].filter((program) => Bun.which(program) === null)
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`
}

/** Makes it, with the kit's program as its carrier. `folder` is for that program. */
export async function longWay(folder: string, oneWayMs: number): Promise<LongWay> {
  const names = { near: `any-near-${process.pid}`, far: `any-far-${process.pid}` }
  const carrier = join(folder, 'link_delay')
  must('cc', '-O2', '-o', carrier, join(import.meta.dir, '../kit/link_delay.c'))
  const children = new Set<Bun.Subprocess>()
  const end = async (): Promise<void> => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all([...children].map(({ exited }) => exited))
    for (const name of Object.values(names)) Bun.spawnSync(['ip', 'netns', 'del', name], { stderr: 'ignore' })
  }
  const start: LongWay['start'] = async (at, argv, env = {}) => {
    const child = Bun.spawn(['ip', 'netns', 'exec', names[at], ...argv], {
      env: { PATH: process.env.PATH, ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    children.add(child)
    const said = await firstLine(child.stdout)
    return {
      said,
      async kill(signal = 'SIGTERM') {
        child.kill(signal)
        return child.exited
      },
    }
  }
  try {
    for (const name of Object.values(names)) {
      must('ip', 'netns', 'add', name)
      must('ip', '-n', name, 'link', 'set', 'lo', 'up')
    }
    const link = Bun.spawn([carrier, names.near, names.far, String(oneWayMs)], { stdout: 'pipe', stderr: 'inherit' })
    children.add(link)
    await firstLine(link.stdout)
    for (const [name, own, peer] of [
      [names.near, NEAR_ADDRESS, FAR_ADDRESS],
      [names.far, FAR_ADDRESS, NEAR_ADDRESS],
    ] as const) {
      must('ip', '-n', name, 'addr', 'add', own, 'peer', peer, 'dev', 'delay0')
      must('ip', '-n', name, 'link', 'set', 'delay0', 'up', 'mtu', '1500')
    }
    return {
      start,
      async run(at, argv) {
        const child = Bun.spawn(['ip', 'netns', 'exec', names[at], ...argv], { stdout: 'pipe', stderr: 'inherit' })
        const said = await child.stdout.text()
        if ((await child.exited) !== 0) throw new Error(`${argv.join(' ')} ended badly`)
        return said
      },
      cut: () => link.kill('SIGSTOP'),
      mend: () => link.kill('SIGCONT'),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader()
  let said = ''
  while (!said.includes('\n')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`it ended before it was ready: ${said}`)
    said += new TextDecoder().decode(value)
  }
  reader.releaseLock()
  return said.slice(0, said.indexOf('\n'))
}

function must(...argv: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(argv, { stdout: 'ignore', stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`${argv.join(' ')}: ${stderr.toString()}`)
}
