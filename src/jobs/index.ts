export { closeLeaks } from './close-leaks.ts'
export { forgetAnswers } from './forget-answers.ts'
