import { endedInTurn } from './ended-in-turn.ts'
import { bearer, type OfferSpec, startGateway, type TestGateway } from './gateway.ts'
import type { RawAnswer } from './raw-answer.ts'
import { rawRequest } from './raw-client.ts'
import { end, type Part, type Script, type Step, script, send } from './script.ts'
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.ts'

/** A gateway and its one provider. */
export interface GatewayWorld extends AsyncDisposable {
  readonly provider: ScriptedProvider
  readonly gateway: TestGateway
}

/** A gateway with one provider that plays these scripts for the model `m1`. */
export async function operationWorld(
  offer: Omit<OfferSpec, 'provider'>,
  ...parts: readonly Part[]
): Promise<GatewayWorld> {
  const provider = await scriptedProvider()
  provider.script(...parts)
  const gateway = await startGateway({ offers: { m1: [{ provider, ...offer }] } })
  return { provider, gateway, ...endedInTurn(gateway, provider) }
}

/** One request to this path with this body, for the model `m1` where the body names none; a text is sent as it is. */
export function operate(gateway: TestGateway, path: string, body: object | string): RawAnswer {
  const headers = { ...bearer(gateway), 'content-type': 'application/json' }
  if (typeof body === 'string') return rawRequest(gateway.origin, { path, headers, body })
  return rawRequest(gateway.origin, { path, headers, json: { model: 'm1', ...body } })
}

/** A stream of events that have names, each a chunk of the body. */
export const typedSse = (...parts: readonly Part[]): Script =>
  script({ status: 200, headers: { 'content-type': 'text/event-stream' } }, ...parts, end())

/** One event, under the name that its `type` says. */
export const typedEvent = (value: { readonly type: string }): Step =>
  send(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`)

/** A field of a form, or a file in it. */
export interface FormPart {
  readonly name: string
  readonly value: string | Uint8Array
  /** It is a file. */
  readonly fileName?: string
}

export const FORM_BOUNDARY = '----form-of-a-test'

/** The bytes of a form. */
export const formBytes = (...parts: readonly FormPart[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, value, fileName }) => [
      Buffer.from(`--${FORM_BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: application/octet-stream`),
      Buffer.from('\r\n\r\n'),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${FORM_BOUNDARY}--\r\n`),
  ])

/** The head of a request that sends a form. */
export const formHeaders = (gateway: TestGateway): Record<string, string> => ({
  ...bearer(gateway),
  'content-type': `multipart/form-data; boundary=${FORM_BOUNDARY}`,
})

/** One request to this path with this form. */
export const sendForm = (
  gateway: TestGateway,
  path: string,
  body: Uint8Array,
  { chunkBytes }: { readonly chunkBytes?: number } = {},
): RawAnswer =>
  rawRequest(gateway.origin, {
    path,
    headers: formHeaders(gateway),
    body,
    ...(chunkBytes === undefined ? {} : { chunkBytes }),
  })
