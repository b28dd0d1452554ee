/** What a message is signed with, and what of it is signed. */
export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. */
  readonly sentAtS: number
  readonly body: string
  /** `whsec_` and base64. */
  readonly secret: string
}

const PREFIX = 'whsec_'

/**
 * The headers by which a receiver knows a message for ours, and for no older one: as Standard Webhooks has them
 * (github.com/standard-webhooks/standard-webhooks): HMAC-SHA256 over id, time and body, in base64.
 */
export function signedHeaders({ id, sentAtS, body, secret }: SignedMessage): [name: string, value: string][] {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = new Bun.CryptoHasher('sha256', key).update(`${id}.${sentAtS}.${body}`).digest('base64')
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(sentAtS)],
    ['webhook-signature', `v1,${signature}`],
  ]
}
