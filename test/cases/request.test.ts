import { testCases } from './run-cases.ts'

testCases(['auth', 'embeddings', 'headers', 'models', 'ratelimit', 'request', 'security'])
