import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FIXTURES = join(import.meta.dir, '../fixtures')
const DIALECTS = ['openai', 'anthropic'] as const

export type SeedDialect = (typeof DIALECTS)[number]

export interface RequestSeed {
  readonly dialect: SeedDialect
  /** Below `/v1` and `/api/v1`. */
  readonly path: string
  readonly body: Buffer
}

export interface AnswerSeed {
  readonly dialect: SeedDialect
  readonly kind: 'replies' | 'streams' | 'errors'
  /** What it could be the answer to. */
  readonly path: string
  readonly body: Buffer
}

/** As long as a number of six digits with an `m` before it. */
export const MODEL_MARK = 'm-model'

const PATHS: readonly (readonly [prefix: string, path: string])[] = [
  ['count', '/messages/count_tokens'],
  ['completions', '/completions'],
  ['embeddings', '/embeddings'],
  ['moderations', '/moderations'],
  ['rerank', '/rerank'],
  ['images', '/images/generations'],
  ['responses', '/responses'],
  ['speech', '/audio/speech'],
]

/** The requests of the fixtures; their model is `MODEL_MARK`. */
export const REQUEST_SEEDS: readonly RequestSeed[] = DIALECTS.flatMap((dialect) =>
  filesOf(dialect, 'requests').map(({ name, body }) => ({
    dialect,
    path: pathOf(dialect, name),
    body: Buffer.from(body.toString('utf8').replace(/"model"\s*:\s*"[^"]*"/, `"model":"${MODEL_MARK}"`)),
  })),
)

/** What providers answer in the fixtures. */
export const ANSWER_SEEDS: readonly AnswerSeed[] = DIALECTS.flatMap((dialect) =>
  (['replies', 'streams', 'errors'] as const).flatMap((kind) =>
    filesOf(dialect, kind).map(({ name, body }) => ({ dialect, kind, path: pathOf(dialect, name), body })),
  ),
)

function pathOf(dialect: SeedDialect, name: string): string {
  const other = PATHS.find(([prefix]) => name.startsWith(prefix))?.[1]
  return other ?? (dialect === 'openai' ? '/chat/completions' : '/messages')
}

function filesOf(dialect: SeedDialect, kind: string): { readonly name: string; readonly body: Buffer }[] {
  const folder = join(FIXTURES, dialect, kind)
  return readdirSync(folder).map((name) => ({ name, body: readFileSync(join(folder, name)) }))
}
