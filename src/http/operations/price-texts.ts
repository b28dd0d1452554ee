import type { Price } from '../../domain/index.ts'

/** A price as OpenRouter tells it: dollars as decimal digits, for one token or one of what is counted, exact. "0" where there is none. */
export function priceTexts(price: Price | null): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {
    prompt: perToken(price?.input ?? 0),
    completion: perToken(price?.output ?? 0),
    request: decimal(price?.perRequest ?? 0, NANO_PLACES),
    image: decimal(price?.perImage ?? 0, NANO_PLACES),
  }
  if (price === null) return texts
  for (const [kind, name] of TOKEN_KINDS) {
    const rate = price[kind]
    if (rate !== undefined) texts[name] = perToken(rate)
  }
  if (price.perSearch !== undefined) texts.web_search = decimal(price.perSearch, NANO_PLACES)
  return texts
}

const TOKEN_KINDS = [
  ['cachedInput', 'input_cache_read'],
  ['cacheWrite', 'input_cache_write'],
  ['cacheWriteLong', 'input_cache_write_1h'],
  ['reasoning', 'internal_reasoning'],
  ['inputAudio', 'audio'],
  ['cachedInputAudio', 'input_audio_cache'],
  ['outputAudio', 'audio_output'],
  ['inputImage', 'image_token'],
  ['outputImage', 'image_output'],
] as const

const NANO_PLACES = 9
const PER_MILLION_PLACES = NANO_PLACES + 6

const perToken = (nanoPerMillion: number): string => decimal(nanoPerMillion, PER_MILLION_PLACES)

/** A whole number of 10^-places. */
function decimal(units: number, places: number): string {
  const digits = String(units).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
