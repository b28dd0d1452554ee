export { type AdminDeps, type ConfigSetting, createAdmin, fromOutside, type ReloadOutcome } from './admin/index.ts'
export { adminSocket } from './admin-socket.ts'
export { probePort } from './probe-port.ts'
export { createPublicApp, type PublicEdge } from './public-app.ts'
