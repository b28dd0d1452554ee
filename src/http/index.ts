export { type AdminDeps, createAdmin } from './admin/index.ts'
export { createPublicApp, type PublicEdge } from './server.ts'
