import { base62, type Random } from '../lib/index.ts'

const HEAD = 'sk-ar-v1-'
const RANDOM_CHARS = 43 // 256 bits in base62
const PREFIX_CHARS = HEAD.length + 4

/** A new secret of a key: `sk-ar-v1-` and 43 characters of base62, 256 bits of chance. */
export const newKeySecret = (random: Random): string => HEAD + base62(RANDOM_CHARS, random)

/**
 * What of a secret is stored: its SHA-256 in hex. A slow, salted hash would protect secrets that can be guessed; these carry 256 bits of
 * chance, so there is nothing to try, and a request pays a microsecond instead of a tenth of a second.
 */
export const hashKey = (secret: string): string => Bun.CryptoHasher.hash('sha256', secret, 'hex')

/** The first characters of a secret, to tell keys apart: 4 of the random ones, and never more than a third of the whole. */
export const keyPrefix = (secret: string): string =>
  secret.slice(0, Math.min(PREFIX_CHARS, Math.floor(secret.length / 3)))
