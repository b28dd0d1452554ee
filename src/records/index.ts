export { createRecords, type Records } from './records.ts'
