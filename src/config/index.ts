export { type Config, type LoadedConfig, loadConfig } from './load-config.ts'
export { formatProblems, type Problem } from './problem.ts'
export { type Environment, readEnvironment, type Surroundings, systemSurroundings } from './surroundings.ts'
