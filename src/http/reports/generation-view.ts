import { completionTokens, NO_USAGE, promptTokens, type Usage } from '../../domain/index.ts'
import type { StoredRecord } from '../../store/index.ts'
import type { ReportDeps } from './deps.ts'
import { dollars } from './dollars.ts'
import { isoOf } from './key-view.ts'
import { providerShown, regionShown } from './provider-shown.ts'

const US_PER_MS = 1000

/** A request as its account is told of it: OpenRouter's names, and where its time went in ms. */
export function generationView(deps: ReportDeps, record: StoredRecord): object {
  const { settlement, timing, client = {} } = record
  const charged = settlement === null ? 0 : dollars(settlement.charged)
  return {
    id: record.generationId,
    request_id: record.requestId,
    upstream_id: record.attempts.at(-1)?.providerRequestId ?? null,
    client_request_id: record.clientRequestId,
    created_at: isoOf(record.startedAtMs),
    model: record.model ?? record.modelAsked ?? '',
    model_asked: record.modelAsked,
    provider_name: record.backend === null ? null : providerShown(deps, record.backend),
    provider_responses: attemptsOf(deps, record),
    api_type: record.operation,
    router: record.router ?? null,
    streamed: record.stream,
    cancelled: isCancelled(record),
    status: record.status,
    error_code: record.errorCode,
    finish_reason: openaiReason(record.finishReason ?? null),
    native_finish_reason: record.finishReason ?? null,
    ...tokensOf(settlement?.usage ?? NO_USAGE),
    usage_source: settlement?.usageSource ?? null,
    usage: charged,
    cost: charged,
    total_cost: charged,
    upstream_inference_cost: null,
    cache_discount: null,
    is_byok: settlement?.owner === 'account',
    latency: Math.round(timing.totalUs / US_PER_MS),
    generation_time: Math.round((timing.endedUs - timing.gwUs) / US_PER_MS),
    moderation_latency: null,
    timing: timingOf(timing),
    session_id: client.session ?? null,
    http_referer: client.referer ?? null,
    app_title: client.title ?? null,
    user_agent: client.userAgent ?? null,
    origin: client.referer ?? '',
    app_id: null,
    external_user: null,
    preset_id: null,
    service_tier: null,
    data_region: regionShown(deps, record.backend),
    workspace_id: record.accountId,
    web_search_engine: null,
    num_fetches: null,
    num_input_audio_prompt: null,
    num_media_prompt: null,
    num_media_completion: null,
    num_search_results: null,
  }
}

/** Why an answer ended, in OpenAI's words, where a dialect has others. */
const OPENAI_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}
const openaiReason = (reason: string | null): string | null =>
  reason === null ? null : (OPENAI_REASONS[reason] ?? reason)

/** The caller left before the whole answer was delivered. */
function isCancelled({ settlement, errorCode }: StoredRecord): boolean {
  const reason = settlement?.reason ?? null
  return (reason !== null && LEFT.has(reason)) || errorCode === 'client_closed_request'
}

const LEFT: ReadonlySet<string> = new Set(['client_gone', 'client_stall', 'cancelled_unsent'])

function tokensOf(usage: Usage): object {
  const [prompt, completion] = [promptTokens(usage), completionTokens(usage)]
  return {
    tokens_prompt: prompt,
    tokens_completion: completion,
    native_tokens_prompt: prompt,
    native_tokens_completion: completion,
    native_tokens_reasoning: usage.reasoning,
    native_tokens_cached: usage.cachedInput,
    native_tokens_completion_images: usage.outputImage ?? null,
  }
}

function timingOf({ gwUs, upstreamUs, postUs, totalUs, endedUs, stages }: StoredRecord['timing']): object {
  return {
    gw: ms(gwUs),
    upstream: ms(upstreamUs),
    post: ms(postUs),
    total: ms(totalUs),
    ended: ms(endedUs),
    stages: Object.fromEntries(stages.map(([name, us]) => [name, ms(us)])),
  }
}

/** In the order in which they were sent. */
function attemptsOf(deps: ReportDeps, { attempts }: StoredRecord): object[] {
  return attempts.map(({ backend, outcome, reason, status, startedUs, endedUs, timing }) => ({
    provider_name: providerShown(deps, backend),
    outcome,
    reason,
    status,
    latency: ms(endedUs - startedUs),
    first_byte: timing.firstByteUs === null ? null : ms(timing.firstByteUs),
    connection: timing.connection,
  }))
}

const ms = (us: number): number => us / US_PER_MS
