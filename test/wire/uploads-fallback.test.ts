import { describe, expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { startGateway } from '../support/gateway.ts'
import { json, type Part } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { errorOf } from '../support/wire-chat.ts'
import { formBytes, sendForm } from '../support/wire-operations.ts'
import { file, MB, model, PRICED, SAID, UPLOAD_PATH } from '../support/wire-uploads.ts'

describe('another backend', () => {
  const world = async (...first: readonly Part[]) => {
    const one = await scriptedProvider()
    const two = await scriptedProvider()
    one.script(...first)
    two.script(SAID)
    const offers = [one, two].map((provider) => ({ provider, ...PRICED }))
    const gateway = await startGateway({ offers: { m1: offers } })
    return {
      one,
      two,
      gateway,
      ...endedInTurn(gateway, one, two),
    }
  }

  test('gets a large form of which nothing was sent', async () => {
    await using all = await world({ refuse: true })
    const answer = sendForm(all.gateway, UPLOAD_PATH, formBytes(model(), file(3)))
    expect(await answer.json()).toEqual({ text: 'Hi' })
    expect((await all.two.arrived()).body.equals(formBytes(model('provider-m1'), file(3)))).toBe(true)
  })

  test('gets a small form that was sent already, or one that was read whole', async () => {
    await using all = await world(json(500, { error: { message: 'Oh' } }))
    for (const form of [formBytes(model(), file(0.5)), formBytes(file(3), model())]) {
      expect(await sendForm(all.gateway, UPLOAD_PATH, form).json()).toEqual({ text: 'Hi' })
    }
    expect(all.two.requests.map(({ body }) => body.length > 3 * MB)).toEqual([false, true])
  })

  test('does not get what was passed on', async () => {
    await using all = await world(json(500, { error: { message: 'Oh' } }))
    expect(await errorOf(sendForm(all.gateway, UPLOAD_PATH, formBytes(model(), file(3))))).toMatchObject({
      status: 502,
      code: 'provider_failed',
    })
    expect([all.one.requests.length, all.two.requests.length]).toEqual([1, 0])
  })
})
