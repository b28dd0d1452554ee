import { base62, type Random } from '../lib/index.ts'

const HEAD = 'ak_'
const RANDOM_CHARS = 43 // 256 bits in base62
const PREFIX_CHARS = HEAD.length + 4

/** A new secret of a management key: `ak_` and 43 characters of base62, 256 bits of chance. Stored as `hashKey` makes it. */
export const newManagementSecret = (random: Random): string => HEAD + base62(RANDOM_CHARS, random)

/** Whether a text looks like a management key's secret: nothing else that is sent as a key begins so. */
export const isManagementSecret = (text: string): boolean => text.startsWith(HEAD)

/** The first characters of a management key's secret, to tell keys apart: 4 of the random ones. */
export const managementPrefix = (secret: string): string => secret.slice(0, PREFIX_CHARS)
