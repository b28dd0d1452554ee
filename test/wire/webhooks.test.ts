import { expect, test } from 'bun:test'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { json, status } from '../support/script.ts'
import { type SeenRequest, scriptedProvider, TLS_CERTIFICATE_PATH } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, eventually } from '../support/wire-chat.ts'

interface Receiver {
  readonly origin: string
  readonly port: number
}

const gatewayFor = (provider: { readonly origin: string }, { port }: Receiver, allow = ['127.0.0.1/32']) =>
  startGateway({
    offers: { m1: [{ provider, backend: { ping: 'off' } }] },
    yaml: { network: { allow_private: allow, ports: [443, port], ca_file: TLS_CERTIFICATE_PATH } },
  })

const pathOf = ({ account }: TestGateway): string => `/accounts/${account}/webhook`
const eventsOf = async (gateway: TestGateway) => (await gateway.admin('GET', `${pathOf(gateway)}/events`)).body.data
const delivered = (gateway: TestGateway) =>
  eventually(async () => {
    const [event] = await eventsOf(gateway)
    return event?.state === 'delivered' ? event : undefined
  })

/** As a receiver does it, from the documentation. */
function isGenuine(secret: string, request: SeenRequest): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${request.header('webhook-id')}.${request.header('webhook-timestamp')}.${request.body}`
  const wanted = new Bun.CryptoHasher('sha256', key).update(signed).digest('base64')
  return request.header('webhook-signature') === `v1,${wanted}`
}

test('a balance that falls below its mark is told, signed', async () => {
  await using provider = await scriptedProvider()
  await using receiver = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, receiver)
  provider.script(completion('ok', 1, 1))
  receiver.script(json(200, {}))
  const before = (await gateway.admin('GET', `/accounts/${gateway.account}`)).body
  const wish = { url: `${receiver.origin}/hook?x=1`, low_balance_usd: before.balance_usd }
  const set = await gateway.admin('PUT', pathOf(gateway), wish)
  expect(set.status).toBe(200)
  expect(set.body.secret).toMatch(/^whsec_/)
  expect((await gateway.admin('PUT', pathOf(gateway), wish)).body.secret).toBeUndefined()
  expect(await chat(gateway).status()).toBe(200)
  const event = await delivered(gateway)
  expect(event).toMatchObject({ type: 'balance.low', tries: 1, fault: null })
  const [request] = receiver.requests
  expect(request?.target).toBe('/hook?x=1')
  expect(request?.header('webhook-id')).toBe(event.id)
  expect(request?.json()).toMatchObject({
    id: event.id,
    type: 'balance.low',
    account_id: gateway.account,
    data: event.data,
  })
  expect(request !== undefined && isGenuine(set.body.secret, request)).toBe(true)
  expect(receiver.requests).toHaveLength(1)
  expect(gateway.logs()).not.toContain(set.body.secret)
})

test('a receiver that fails and one that redirects are tried again later; a redirect is not followed', async () => {
  await using provider = await scriptedProvider()
  await using receiver = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, receiver)
  receiver.script(status(307, '', { location: `${receiver.origin}/elsewhere` }))
  await gateway.admin('PUT', pathOf(gateway), { url: `${receiver.origin}/hook` })
  expect((await gateway.admin('POST', `${pathOf(gateway)}/test`)).status).toBe(201)
  const failed = await eventually(async () => {
    const [event] = await eventsOf(gateway)
    return event?.tries === 1 ? event : undefined
  })
  expect(failed).toMatchObject({ type: 'test', state: 'waiting', fault: 'answered with status 307' })
  const waitsMs = failed.next_at_ms - failed.created_at_ms
  expect(waitsMs).toBeGreaterThanOrEqual(5000)
  expect(receiver.requests.map(({ target }) => target)).toEqual(['/hook'])
})

test('an address inside the network is refused: as a literal when it is set, behind a name when it is sent', async () => {
  await using provider = await scriptedProvider()
  await using receiver = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, receiver, [])
  expect(await gateway.admin('PUT', pathOf(gateway), { url: `${receiver.origin}/hook` })).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_request', param: 'url' } },
  })
  const named = { url: `https://localhost:${receiver.port}/hook` }
  expect((await gateway.admin('PUT', pathOf(gateway), named)).status).toBe(200)
  await gateway.admin('POST', `${pathOf(gateway)}/test`)
  const failed = await eventually(async () => {
    const [event] = await eventsOf(gateway)
    return event?.tries === 1 ? event : undefined
  })
  expect(failed.fault).toContain('address')
  expect(receiver.requests).toHaveLength(0)
})
