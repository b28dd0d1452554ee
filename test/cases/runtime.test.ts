import { testCases } from './run-cases.ts'

testCases(['runtime', 'concurrency', 'timeouts'])
