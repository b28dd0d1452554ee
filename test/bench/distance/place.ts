/**
 * A provider of the distance lane, in a network namespace of its own:
 *   bun place.ts HOST PORT [CERTIFICATE KEY]
 * Answers a completion at once, or after N ms where it is told `take N ms`, as a stream where one is asked for; to `fail at PORT` it answers 500. Prints
 * `ready` when it listens.
 */
const [hostname = '', port = '', cert, key] = process.argv.slice(2)
const COMPLETION = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const CHUNK = { ...COMPLETION, object: 'chat.completion.chunk', usage: null }
const delta = { index: 0, delta: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }
const events = [
  { ...CHUNK, choices: [delta] },
  { ...CHUNK, choices: [], usage: COMPLETION.usage },
]
const EVENTS = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`

Bun.serve({
  hostname,
  port: Number(port),
  idleTimeout: 0,
  ...(cert === undefined || key === undefined ? {} : { tls: { cert: Bun.file(cert), key: Bun.file(key) } }),
  async fetch(request) {
    if (request.method === 'GET') return Response.json({ object: 'list', data: [] })
    const text = await request.text()
    if (text.includes(`fail at ${port}`)) return new Response('{}', { status: 500 })
    const [, takesMs = '0'] = /take (\d+) ms/.exec(text) ?? []
    await Bun.sleep(Number(takesMs))
    if (!text.includes('"stream":true')) return Response.json(COMPLETION)
    return new Response(EVENTS, { headers: { 'content-type': 'text/event-stream' } })
  },
})
console.log('ready')
