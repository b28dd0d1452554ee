import { endedInTurn } from './ended-in-turn.ts'
import { startGateway } from './gateway.ts'
import { rawClient } from './raw-client.ts'
import { rawServer, type Script } from './raw-server.ts'
import { json } from './script.ts'
import { type FormPart, formHeaders } from './wire-operations.ts'

export const UPLOAD_PATH = '/v1/audio/transcriptions'
export const PRICED = { price: { input: '0', output: '0', per_request: '0.001' } }
export const MB = 1024 * 1024
export const SAID = json({ text: 'Hi' })
/** Which model a form asks. */
export const model = (name = 'm1'): FormPart => ({ name: 'model', value: name })
/** A file of so many megabytes that looks like boundaries. */
export const file = (megabytes: number): FormPart => ({
  name: 'file',
  fileName: 'a.mp3',
  value: Buffer.alloc(megabytes * MB, 'some sound\r\n--'),
})

/** A gateway before one provider of raw sockets, and a caller who sends its form in pieces. */
export async function rawWorld(play: Script) {
  const provider = await rawServer(play)
  const gateway = await startGateway({
    offers: { m1: [{ provider: { origin: `http://127.0.0.1:${provider.port}` }, ...PRICED }] },
  })
  const client = rawClient(gateway.origin)
  const begin = (form: Buffer) => {
    const headers = Object.entries(formHeaders(gateway)).map(([name, value]) => `${name}: ${value}\r\n`)
    return client.write(
      `POST ${UPLOAD_PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: ${form.length}\r\n${headers.join('')}\r\n`,
    )
  }
  return {
    provider,
    gateway,
    client,
    begin,
    ...endedInTurn(client, gateway, provider),
  }
}
