/** Opens a port for a moment, and nothing else. Rejects as listening on it would: taken, not permitted, no address of this machine. */
export async function probePort(hostname: string, port: number): Promise<void> {
  const server = Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response(null, { status: 503 }) })
  await server.stop(true)
}
