export { openai, openaiSurface } from './openai.ts'
export { tokensBeyondUsual } from './read-media.ts'
export { renamedModel } from './renamed-model.ts'
