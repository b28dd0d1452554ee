export { openai, openaiSurface } from './openai.ts'
