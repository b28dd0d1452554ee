export type { Dials, ModelDials } from './dials.ts'
export { type SimulatedProvider, type SimulatedProviderOptions, simulatedProvider } from './simulated-provider.ts'
export { type Demo, startDemo } from './start-demo.ts'
