export type {
  Agent,
  AgentStats,
  Exchange,
  ExchangeFailure,
  ExchangeObserver,
  OutgoingRequest,
  ReplyHead,
  Slot,
  Waiter,
} from './contract.ts'
export { type AgentOptions, createAgent } from './create-agent.ts'
export { type Agents, createAgents } from './create-agents.ts'
