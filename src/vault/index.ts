export { hashKey, keyPrefix, newKeySecret } from './key-secret.ts'
