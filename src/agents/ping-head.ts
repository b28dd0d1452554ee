import type { Backend } from '../domain/index.ts'
import { basePath } from '../lib/index.ts'
import type { OutgoingRequest } from './contract.ts'
import { writeRequestHead } from './request-head.ts'

/** The cheap request of pings, as it goes on the wire: a GET below the backend's base URL. It costs no tokens anywhere. */
export function pingHead(backend: Backend, host: string, credential: OutgoingRequest['headers']): string {
  return writeRequestHead(host, pathRequest(backend, credential))
}

/** The same as a request; the path is that of the backend's pings, of its models where it has none. */
export const pathRequest = (backend: Backend, credential: OutgoingRequest['headers']): OutgoingRequest =>
  freeRequest(backend, backend.ping?.path ?? MODELS_PATH, credential)

/** Asks a backend for its list of models. */
export const modelsRequest = (backend: Backend, credential: OutgoingRequest['headers']): OutgoingRequest =>
  freeRequest(backend, MODELS_PATH, credential)

function freeRequest(backend: Backend, path: string, credential: OutgoingRequest['headers']): OutgoingRequest {
  return {
    method: 'GET',
    target: basePath(backend.baseUrl) + path,
    headers: [
      ['accept', 'application/json'],
      ['accept-encoding', 'identity'],
      ['user-agent', 'anyrouter'],
      ...credential,
    ],
    body: null,
    limits: { connectMs: backend.limits.connectMs, idleMs: backend.limits.idleMs },
    resend: 'never',
  }
}

const MODELS_PATH = '/models'
