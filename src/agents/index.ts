export type {
  Agent,
  AgentStats,
  BodyRest,
  Exchange,
  ExchangeFailure,
  ExchangeObserver,
  OutgoingRequest,
  ReplyHead,
  Slot,
  Waiter,
} from './contract.ts'
export { type AgentOptions, type CredentialHeaders, createAgent } from './create-agent.ts'
export { type Agents, createAgents } from './create-agents.ts'
export { type MeasuredCall, measurePath } from './measure-path.ts'
export { type BoundedRequest, createOutbound, type Outbound, type OutboundAnswer } from './outbound.ts'
export { modelsRequest } from './ping-head.ts'
export type { Quantiles } from './recent-times.ts'
export { type WholeAnswer, wholeAnswer } from './whole-answer.ts'
