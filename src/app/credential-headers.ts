import type { CredentialHeaders } from '../agents/index.ts'
import { dialectOf } from '../dialects/index.ts'

/** The headers that show a backend the first credential of its provider; none where it has none. For pings that want them. */
export const credentialHeaders: CredentialHeaders = ({ dialect, provider }) =>
  dialectOf(dialect).credentialHeaders(provider.credentials[0]?.secret ?? null)
