import type { Offer } from './catalogue.ts'

/** A provider's name as slugs are compared: small letters, and a dash for what stands between words. */
export const slugOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s._]+/g, '-')

/**
 * Whether a slug names where an offer leads: its provider, its backend, or its provider with a region, a quantization or the backend after a slash
 * (`acme`, `acme-ca`, `acme/ca`, `acme/fp8`). The name of a provider stands for all of it.
 */
export function isNamed({ backend, quantization }: Offer, slug: string): boolean {
  const provider = slugOf(backend.provider.id)
  if (slug === provider || slug === slugOf(backend.id)) return true
  if (!slug.startsWith(`${provider}/`)) return false
  const part = slug.slice(provider.length + 1)
  return [backend.region, backend.id, quantization].some((name) => typeof name === 'string' && slugOf(name) === part)
}
