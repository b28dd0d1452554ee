import { type Config, loadConfig, type Problem, type Surroundings } from '../../../src/config/index.ts'

/** Surroundings made of plain values: files by path, as they stand beside `/etc/anyrouter.yaml`. */
export function surroundings(
  files: Record<string, string | Uint8Array>,
  env: Record<string, string> = {},
): Surroundings {
  return {
    env,
    wallMs: () => Date.UTC(2026, 6, 1),
    async readFile(path, bytesMax) {
      const content = files[path]
      if (content === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' })
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      return bytes.subarray(0, bytesMax)
    },
  }
}

const PATH = '/etc/anyrouter.yaml'

const load = (yaml: string | Uint8Array, env: Record<string, string>, files: Record<string, string>) =>
  loadConfig(PATH, surroundings({ ...files, [PATH]: yaml }, env))

/** The configuration of a text that must be good. */
export async function configOf(
  yaml: string,
  env: Record<string, string> = {},
  files: Record<string, string> = {},
): Promise<Config> {
  const loaded = await load(yaml, env, files)
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems, null, 2))
  return loaded.config
}

/** The problems of a text that must be bad. */
export async function problemsOf(
  yaml: string | Uint8Array,
  env: Record<string, string> = {},
  files: Record<string, string> = {},
): Promise<readonly Problem[]> {
  const loaded = await load(yaml, env, files)
  if (loaded.kind === 'config') throw new Error('the configuration was accepted')
  return loaded.problems
}

/** A whole small file, with one line to vary. */
export const withBackend = (backend: string): string => `providers:\n  acme:\n    backends:\n      a: ${backend}\n`

export const withOffer = (offer: string): string =>
  `${withBackend('{ url: "http://127.0.0.1:9/v1" }')}models:\n  m:\n    offers:\n      - ${offer}\n`
