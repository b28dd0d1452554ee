import type { Random } from '../lib/index.ts'
import type { Reader, ResealedWebhook, Writer } from '../store/index.ts'
import type { SealedFor, Vault } from '../vault/index.ts'
import { opened } from './own-secrets.ts'

/** What the secret of an account's webhook belongs to. */
export const webhookSecretOwner = (accountId: string): SealedFor => ({ rowId: 'webhook', accountId })

/** A new secret that signs what a webhook is sent: `whsec_` and base64 of 32 bytes, as Standard Webhooks has it. */
export const newWebhookSecret = (random: Random): string =>
  `whsec_${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64')}`

const SECRET_BYTES = 32
const PAGE = 200

/** Seals anew the secrets that an older master key sealed. One that cannot be opened stays as it is: its account sets another. */
export async function resealWebhooks({
  vault,
  reader,
  writer,
}: {
  readonly vault: Vault
  readonly reader: Pick<Reader, 'webhooks'>
  readonly writer: Pick<Writer, 'resealWebhooks'>
}): Promise<void> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<Reader['webhooks']>> = await reader.webhooks({ limit: PAGE, after })
    const rows: ResealedWebhook[] = []
    for (const { accountId, sealed } of page) {
      if (!vault.isOutdated(sealed)) continue
      const owner = webhookSecretOwner(accountId)
      const secret = opened(vault, sealed, owner)
      if (secret !== null) rows.push({ accountId, from: sealed, to: vault.seal(secret, owner) })
    }
    if (rows.length > 0) await writer.resealWebhooks(rows)
    after = page.length < PAGE ? null : (page.at(-1)?.accountId ?? null)
  } while (after !== null)
}
