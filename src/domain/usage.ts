/**
 * What an answer consumed, in units per kind, normalised by the dialect: the kinds do not overlap.
 * `input` counts uncached prompt tokens only; `output` leaves out reasoning tokens.
 */
export interface Usage extends FurtherUnits {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** Units of kinds that few requests have; one that is absent is 0. Tokens, where nothing else is said. */
export interface FurtherUnits {
  /** Written to a cache that keeps it for an hour. */
  readonly cacheWriteLong?: number
  readonly inputAudio?: number
  readonly cachedInputAudio?: number
  readonly inputImage?: number
  readonly cachedInputImage?: number
  readonly outputAudio?: number
  readonly outputImage?: number
  /** Pictures made, where each has its price. */
  readonly images?: number
  /** Length of sound, where its time has a price. */
  readonly audioMs?: number
  /** Of a text to be spoken. */
  readonly characters?: number
  /** Searches of a provider's tool, and units of reranking. */
  readonly searches?: number
}

/** Who counted: the provider, our estimate, or recovery after a crash. */
export type UsageSource = 'reported' | 'estimate' | 'recovered'

export const NO_USAGE: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

export const FURTHER_KINDS = [
  'cacheWriteLong',
  'inputAudio',
  'cachedInputAudio',
  'inputImage',
  'cachedInputImage',
  'outputAudio',
  'outputImage',
  'images',
  'audioMs',
  'characters',
  'searches',
] as const satisfies readonly (keyof FurtherUnits)[]

/** Every kind, in the order in which they are told. */
export const USAGE_KINDS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'output',
  'reasoning',
  ...FURTHER_KINDS,
] as const satisfies readonly (keyof Usage)[]

/** The kinds that few requests have, without those that are 0; null when none is left. */
export function furtherUnits(usage: FurtherUnits): FurtherUnits | null {
  const isGiven = (kind: keyof FurtherUnits): boolean => (usage[kind] ?? 0) > 0
  if (!FURTHER_KINDS.some(isGiven)) return null // nearly always
  return Object.fromEntries(FURTHER_KINDS.filter(isGiven).map((kind) => [kind, usage[kind]]))
}

/** All tokens of the prompt. */
export const promptTokens = (usage: Usage): number =>
  usage.input +
  usage.cachedInput +
  usage.cacheWrite +
  (usage.cacheWriteLong ?? 0) +
  (usage.inputAudio ?? 0) +
  (usage.cachedInputAudio ?? 0) +
  (usage.inputImage ?? 0) +
  (usage.cachedInputImage ?? 0)

/** All tokens of the answer. */
export const completionTokens = (usage: Usage): number =>
  usage.output + usage.reasoning + (usage.outputAudio ?? 0) + (usage.outputImage ?? 0)
