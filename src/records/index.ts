export { type Content, type Contents, createContents } from './contents.ts'
export { bareAttempt, createRecords, type Records } from './records.ts'
export { resealContents } from './reseal-contents.ts'
