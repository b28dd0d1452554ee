import { expect, test } from 'bun:test'
import { credentialMark } from '../../../src/health/credential-mark.ts'

test('tells secrets apart, says nothing of them, and is the same after a restart', () => {
  const mark = credentialMark({ id: 'main', secret: 'sk-one' })
  expect(mark).toMatch(/^[0-9a-f]{8}$/)
  expect(credentialMark({ id: 'other', secret: 'sk-one' })).toBe(mark)
  expect(credentialMark({ id: 'main', secret: 'sk-two' })).not.toBe(mark)
})
