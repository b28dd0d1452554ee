export { deliver } from './deliver.ts'
export { beforeHeartbeat, deliverOpen } from './deliver-open.ts'
