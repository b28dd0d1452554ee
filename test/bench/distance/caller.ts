/**
 * A client of the distance lane, beside the gateway: bun caller.ts ORIGIN KEY MODEL CONTENT COUNT [stream]
 * Sends so many small requests one after the other and prints, as JSON, how long each took and its status.
 */
const [origin = '', secret = '', model = '', content = '', count = '1', stream] = process.argv.slice(2)
const body = JSON.stringify({ model, stream: stream !== undefined, messages: [{ role: 'user', content }] })
const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }

await (await fetch(`${origin}/healthz`)).text() // the client's own connection is not what is measured
const sent: { ms: number; status: number; requestId: string | null }[] = []
for (let number = 0; number < Number(count); number++) {
  const startedMs = performance.now()
  const answer = await fetch(`${origin}/v1/chat/completions`, { method: 'POST', headers, body })
  await answer.text()
  const requestId = answer.headers.get('x-request-id')
  sent.push({ ms: performance.now() - startedMs, status: answer.status, requestId })
}
console.log(JSON.stringify(sent))
