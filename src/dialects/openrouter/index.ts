export { openrouter } from './openrouter.ts'
export { openrouterMessages } from './openrouter-messages.ts'
