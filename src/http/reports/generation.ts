import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import { delay } from '../../lib/index.ts'
import type { Content } from '../../records/index.ts'
import type { SealedContent, StoredRecord } from '../../store/index.ts'
import { VaultError } from '../../vault/index.ts'
import { examples } from '../document/examples.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { contentDoc } from './content-doc.ts'
import { contentView } from './content-view.ts'
import type { ReportDeps } from './deps.ts'
import { generationDoc } from './generation-doc.ts'
import { generationView } from './generation-view.ts'
import { accountOf, reportCaller } from './report-caller.ts'

const query = Type.Object({
  id: Type.String({
    description: '`x-generation-id` of an answer, its `id`, or its `x-request-id`.',
    examples: [examples.generationId],
  }),
})

/** `GET /generation?id=` and `GET /generation/:id`: one request of the account's own, from the moment its answer has ended. */
export function generation(deps: ReportDeps) {
  const answer = async (request: Request, id: string): Promise<object> => ({
    data: generationView(deps, await ownRecord(deps, request, id)),
  })
  return new Elysia()
    .get('/generation', ({ request, query: { id } }) => answer(request, id), {
      query,
      detail: operationDoc(generationDoc, { surface: 'openrouter' }),
    })
    .get(
      '/generation/content',
      async ({ request, query: { id } }) => {
        const record = await ownRecord(deps, request, id)
        const kept = await deps.store.reader.content(record.requestId)
        if (kept === null)
          throw new GatewayError('not_found', 'What this request said and was answered was not kept.', { param: 'id' })
        return { data: contentView(deps, record, opened(deps, kept)) }
      },
      { query, detail: operationDoc(contentDoc, { surface: 'openrouter' }) },
    )
    .get('/generation/:id', ({ request, params: { id } }) => answer(request, id), {
      detail: operationDoc(generationDoc, { surface: 'openrouter' }),
    })
}

/** The request, if the caller may know of it. Throws 404. */
async function ownRecord(deps: ReportDeps, request: Request, id: string): Promise<StoredRecord> {
  const accountId = accountOf(await reportCaller(deps, request))
  const record = await recordSoon(deps, id)
  if (record !== null && (accountId === null || record.accountId === accountId)) return record
  throw new GatewayError('not_found', `There is no generation '${id.slice(0, 100)}'.`, { param: 'id' })
}

/** It may have been sealed with another master key. */
function opened({ house }: ReportDeps, sealed: SealedContent): Content {
  try {
    return house.contents.open(sealed)
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    throw new GatewayError('conflict', 'This was sealed with another master.key: it cannot be opened.', {
      internal: error.message,
    })
  }
}

/** Of a generation, or of its request: answers on `/v1` tell that one alone. */
const ID = /^(?:gen-|req_)(([0-9a-f]{12})[0-9a-f]{20})$/
const LATELY_MS = 3_600_000
const SOON_MS = 1500
const PAUSE_MS = 25

/** Records are written a moment behind their answers: of a request that may just have ended, that moment is waited for. */
async function recordSoon({ house, store }: ReportDeps, id: string): Promise<StoredRecord | null> {
  const [, body = '', beganAt = ''] = ID.exec(id) ?? []
  if (beganAt === '') return null
  const requestId = `req_${body}`
  const { clock } = house
  const ageMs = clock.wallMs() - Number.parseInt(beganAt, 16)
  const waits = ageMs >= 0 && ageMs < LATELY_MS ? Math.floor(SOON_MS / PAUSE_MS) : 0
  for (let left = waits; ; left--) {
    const record = await store.reader.record(requestId)
    if (isWhole(record) || left === 0) return record
    await delay(clock, PAUSE_MS)
  }
}

/** What was sent has been held for. */
const isWhole = (record: StoredRecord | null): boolean =>
  record !== null && (record.settlement !== null || record.attempts.length === 0)
