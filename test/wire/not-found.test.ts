import { expect, test } from 'bun:test'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { runCommand } from '../support/run-command.ts'
import { json, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf, eventually } from '../support/wire-chat.ts'

const UNKNOWN = json(404, {
  error: { message: 'The model does not exist.', type: 'invalid_request_error', param: null, code: 'model_not_found' },
})

const offersOf = async (gateway: TestGateway) => (await gateway.admin('GET', '/models')).body.data[0].offers

async function modelsText(gateway: TestGateway): Promise<string> {
  const { code, said } = await runCommand(['models', '--data', gateway.dataFolder])
  expect(code).toBe(0)
  return said
}

test('where one has it not another may, and the operator sees that at its offer until it serves', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }, { provider }] } })
  const fine = script(completion('fine', 1, 1))
  provider.script(UNKNOWN, fine, UNKNOWN, fine, fine)
  expect(await offersOf(gateway)).toMatchObject([{ not_found: null }, { not_found: null }])

  for (const _ of [1, 2]) expect(await chat(gateway).text()).toContain('fine')
  await eventually(async () => (await offersOf(gateway))[0].not_found?.times === 2 || undefined)
  const [first, second] = await offersOf(gateway)
  expect(first.not_found).toEqual({ times: 2, last_at_ms: expect.any(Number) })
  expect(second.not_found).toBeNull()
  expect(await modelsText(gateway)).toMatch(/ b0 .* 404 ×2, last 20\d\d-.*Z: is the name right\?$/m)
  expect(await modelsText(gateway)).toMatch(/ b1 .* enabled$/m)
  const isTold = (line: string) => line.includes('"attempt"') && line.includes(`"offer":"${first.offer}"`)
  await eventually(async () =>
    gateway
      .logs()
      .split('\n')
      .find((line) => isTold(line) && line.includes('404')),
  )

  expect(await chat(gateway).text()).toContain('fine')
  await eventually(async () => (await offersOf(gateway))[0].not_found === null || undefined)
})

test('where no provider has it, the caller is told so in the words of the first', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }, { provider }] } })
  provider.script(UNKNOWN, json(405, 'no such operation here'))
  expect(await errorOf(chat(gateway))).toMatchObject({ status: 404, code: 'model_not_found' })
  expect(provider.requests).toHaveLength(2)
})
