export { anthropic, anthropicSurface } from './anthropic.ts'
