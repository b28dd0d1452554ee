import { errorCode } from '../lib/index.ts'
import { metricsAnswer } from './metrics.ts'

/** The address for metrics cannot be listened on; the message says why and what to do. */
export class MetricsAddressError extends Error {
  override name = 'MetricsAddressError'
}

export interface MetricsListener {
  readonly port: number
  stop(): Promise<void>
}

/** Serves `/metrics`, and nothing else, at an address of its own, to whoever reaches it. Throws `MetricsAddressError`. */
export function listenForMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  text: () => string,
): MetricsListener {
  const server = begin(host, port, (request) => {
    if (URL.parse(request.url)?.pathname !== '/metrics') return refusal(404, 'Only /metrics is here.')
    if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'Ask with GET.', { allow: 'GET' })
    return metricsAnswer(text())
  })
  return { port: server.port ?? port, stop: () => server.stop(true) }
}

function begin(hostname: string, port: number, fetch: (request: Request) => Response) {
  try {
    return Bun.serve({ hostname, port, reusePort: false, development: false, fetch })
  } catch (error) {
    const code = errorCode(error) ?? String(error)
    throw new MetricsAddressError(
      `metrics.listen: ${hostname}:${port} cannot be listened on (${code}): choose another address or port, or off.`,
    )
  }
}

const refusal = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`${text}\n`, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
