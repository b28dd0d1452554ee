import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { gate } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { done, finish, sse, text, usage } from '../support/sse.ts'
import { streamChat } from '../support/wire-chat.ts'

const RELOADS = 1000
const STREAMS = 50

test(`${RELOADS} reloads under ${STREAMS} streams drop nothing`, async () => {
  await using one = await scriptedProvider()
  await using other = await scriptedProvider()
  const parts = Array.from({ length: 20 }, (_, at) => [gate(`part ${at}`), text(`<${at}>`)]).flat()
  const stream = sse(text('begin'), ...parts, finish(), usage(10, 20), done())
  one.script(stream)
  other.script(stream)
  const at = (provider: { readonly origin: string }) => ({ offers: { m1: [{ provider }, { provider: one }] } })
  await using gateway = await startGateway({ ...at(one), balanceUsd: '1000' })
  const answers = Array.from({ length: STREAMS / 2 }, () => streamChat(gateway))
  await Promise.all(answers.map((answer) => answer.until('begin')))
  for (let round = 0; round < RELOADS; round++) {
    gateway.configure(at(round % 2 === 0 ? other : one))
    const { status, body } = await gateway.admin('POST', '/config/reload')
    expect({ status, version: body.catalogue_version }).toEqual({ status: 200, version: round + 2 })
    if (round % 50 === 0) for (const provider of [one, other]) provider.release(`part ${round / 50}`)
    if (round < STREAMS / 2) answers.push(streamChat(gateway))
  }
  for (const text of await Promise.all(answers.map((answer) => answer.text()))) {
    expect(text).toContain('[DONE]')
    for (let part = 0; part < 20; part++) expect(text).toContain(`<${part}>`)
  }
  expect(one.requests.length + other.requests.length).toBe(STREAMS)
  expect(other.requests.length).toBeGreaterThan(0)
}, 60_000)
