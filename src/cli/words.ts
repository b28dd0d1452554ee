import { formatUsd, type Money } from '../domain/index.ts'

/** "no streams", "1 stream", "12 streams". */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

/** Microseconds as seconds for people: "0.8 s". */
export const seconds = (us: number): string => `${(us / 1_000_000).toFixed(1)} s`

/** "$5.00". */
export const dollars = (amount: Money | bigint | string): string => {
  const text = typeof amount === 'string' ? amount : formatUsd(amount)
  return text.startsWith('-') ? `-$${text.slice(1)}` : `$${text}`
}
