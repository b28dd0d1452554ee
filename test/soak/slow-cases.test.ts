import { slowCases } from '../cases/run-cases.ts'

slowCases()
