const MOODS = ['well', 'well', 'well', 'leaving', 'malformed'] as const
const MOOD_MS_MAX = 1500

export type Mood = (typeof MOODS)[number]

/** What callers are like for a while, all of them: that they leave or are in the wrong is no backend's doing. */
export function callerMoods(random: () => number): (nowMs: number) => Mood {
  let mood: Mood = 'well'
  let untilMs = 0
  return (nowMs) => {
    if (nowMs < untilMs) return mood
    mood = MOODS[Math.floor(random() * MOODS.length)] ?? 'well'
    untilMs = nowMs + random() * MOOD_MS_MAX
    return mood
  }
}
