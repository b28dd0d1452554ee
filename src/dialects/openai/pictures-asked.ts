import type { RequestFacts } from '../dialect.ts'
import type { RequestSeen } from './operation-form.ts'

/** What a request for pictures is held for, and billed where a provider tells nothing: each is paid, nothing else of the answer is. */
export function picturesAsked(seen: RequestSeen): Partial<RequestFacts> {
  const images = Math.min(seen.choices, PICTURES_MAX)
  return { outputLimit: 0, choices: 1, asked: { images, outputImage: images * tokensOfPicture(seen) } }
}

/**
 * Most tokens of one picture, of its largest size (platform.openai.com/docs/guides/image-generation, cost and latency): what is held,
 * and what is billed where a provider tells none.
 */
function tokensOfPicture({ words }: RequestSeen): number {
  const quality = words.get('quality')
  const whole = quality === 'low' ? 408 : quality === 'medium' ? 1584 : 6240
  const partial = words.get('partial_images')
  return whole + (typeof partial === 'number' && partial > 0 && partial <= 3 ? partial * TOKENS_OF_PARTIAL : 0)
}
const TOKENS_OF_PARTIAL = 100
const PICTURES_MAX = 10_000 // far beyond what any provider makes of one request
