import { testCases } from './run-cases.ts'

testCases(['concurrency', 'runtime'])
