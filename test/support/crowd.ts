import type { TestGateway } from './gateway.ts'
import { CHAT_PATH, HELLO } from './wire-chat.ts'

/** So many chat requests at once, each with room for 16 tokens, over the runtime's own client: how many got which status. */
export async function crowd(
  gateway: TestGateway,
  headers: Readonly<Record<string, string>>,
  count: number,
): Promise<Readonly<Record<number, number>>> {
  const statuses = await Promise.all(Array.from({ length: count }, () => one(gateway, headers)))
  return Object.fromEntries([...Map.groupBy(statuses, (code) => code)].map(([code, list]) => [code, list.length]))
}

/** What the hold of one of them takes: 3 tokens of prompt, 16 of an answer. */
export const CROWD_HELD_NANO = 3 * 4000 + 16 * 10_000

async function one(gateway: TestGateway, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(gateway.origin + CHAT_PATH, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm1', messages: HELLO, max_tokens: 16 }),
  })
  await response.bytes()
  return response.status
}
