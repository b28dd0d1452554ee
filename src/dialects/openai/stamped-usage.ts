import { completionTokens, promptTokens, type Usage } from '../../domain/index.ts'
import { isRecord } from '../../lib/index.ts'
import { type MoneyStamp, withCost } from '../with-cost.ts'

/**
 * The value of `usage` on a stamped surface, as JSON: the figures that are billed, `cost` in dollars, and of what the provider reported
 * (`given`; null when it reported none) whatever else there is. The two counts that strict readers insist on are always there.
 */
export function stampedUsage(given: unknown, usage: Usage, stamp: MoneyStamp): string {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion, ...rest } = known(given)
  const figures = {
    prompt_tokens: promptTokens(usage),
    completion_tokens: completionTokens(usage),
    total_tokens: promptTokens(usage) + completionTokens(usage),
    prompt_tokens_details: { ...known(prompt), cached_tokens: cachedTokens(usage) },
    completion_tokens_details: { ...known(completion), reasoning_tokens: usage.reasoning },
  }
  return withCost({ ...rest, ...figures }, usage, stamp)
}

/** The same where there is no conversation: what the provider reported as it stands, or else the tokens that are billed, and `cost`. */
export function stampedFigures(given: unknown, usage: Usage, stamp: MoneyStamp): string {
  const rest = known(given)
  const tokens = promptTokens(usage) + completionTokens(usage)
  const isTold = isRecord(given) || tokens === 0
  return withCost(
    { ...(isTold ? {} : { prompt_tokens: promptTokens(usage), total_tokens: tokens }), ...rest },
    usage,
    stamp,
  )
}

/** The same of pictures: what the provider reported, and the counts by the names that OpenRouter's readers look for everywhere. */
export function stampedPictures(given: unknown, usage: Usage, stamp: MoneyStamp): string {
  const [prompt, completion] = [promptTokens(usage), completionTokens(usage)]
  const figures = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  return withCost({ ...known(given), ...figures }, usage, stamp)
}

/** The same of a response, which calls its figures otherwise. */
export function stampedResponseUsage(given: unknown, usage: Usage, stamp: MoneyStamp): string {
  const { input_tokens_details: input, output_tokens_details: output, ...rest } = known(given)
  const figures = {
    input_tokens: promptTokens(usage),
    input_tokens_details: { ...known(input), cached_tokens: cachedTokens(usage) },
    output_tokens: completionTokens(usage),
    output_tokens_details: { ...known(output), reasoning_tokens: usage.reasoning },
    total_tokens: promptTokens(usage) + completionTokens(usage),
  }
  return withCost({ ...rest, ...figures }, usage, stamp)
}

const cachedTokens = ({ cachedInput, cachedInputAudio = 0, cachedInputImage = 0 }: Usage): number =>
  cachedInput + cachedInputAudio + cachedInputImage

/** The fields that have a value: null breaks several readers where nothing does not (WIRE.md, 3.1). */
function known(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}
