import { testCases } from './run-cases.ts'

testCases(['billing', 'clock'])
