import { expect, test } from 'bun:test'
import { clientFacts } from '../../../src/pipeline/client-facts.ts'

const of = (headers: Record<string, string>, session?: string) => clientFacts(new Headers(headers), session)

test('a caller that says nothing of itself is nothing', () => {
  expect(of({})).toBeNull()
  expect(of({ 'user-agent': '', authorization: 'Bearer sk-ar-v1-secret' })).toBeNull()
})

test('what it says: its program, its app, its session', () => {
  expect(of({ 'user-agent': 'curl/8', 'http-referer': 'https://a.example', 'x-title': 'App' })).toEqual({
    userAgent: 'curl/8',
    referer: 'https://a.example',
    title: 'App',
  })
  expect(of({ referer: 'https://b.example' })).toEqual({ referer: 'https://b.example' })
  expect(of({ 'x-title': 'old', 'x-openrouter-title': 'new' })).toEqual({ title: 'new' })
  expect(of({ 'x-session-id': 'from the head' })).toEqual({ session: 'from the head' })
  expect(of({ 'x-session-id': 'from the head' }, 'from the body')).toEqual({ session: 'from the body' })
})

test('of long texts the beginning', () => {
  expect(of({ 'user-agent': 'x'.repeat(5000) })?.userAgent).toBe('x'.repeat(256))
})
