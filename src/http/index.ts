export {
  type AdminDeps,
  type ConfigSetting,
  type CredentialAnswer,
  createAdmin,
  fromOutside,
  type PathChecks,
  type ReloadOutcome,
} from './admin/index.ts'
export { adminSocket } from './admin-socket.ts'
export { listenForMetrics } from './listen-for-metrics.ts'
export { metricsFor } from './metrics.ts'
export { probePort } from './probe-port.ts'
export { createPublicApp, type PublicEdge } from './public-app.ts'
