import { testCases } from './run-cases.ts'

testCases(['failover'])
