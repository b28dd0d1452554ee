import type { CredentialHeaders } from '../agents/index.ts'
import { ownCallHeaders } from '../dialects/index.ts'

/** The headers that show a backend the first credential of its provider; none where it has none. For pings that want them. */
export const credentialHeaders: CredentialHeaders = ({ dialects, provider }) =>
  ownCallHeaders(dialects, provider.credentials[0]?.secret ?? null)
