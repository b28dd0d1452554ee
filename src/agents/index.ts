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
