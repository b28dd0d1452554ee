export { openai, openaiSurface } from './openai.ts'
export { renamedModel } from './renamed-model.ts'
