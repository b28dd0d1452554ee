import { expect, test } from 'bun:test'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { runCommand } from '../support/run-command.ts'
import { json, reset } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, eventually, recordOf, streamChat } from '../support/wire-chat.ts'

/** A command beside the server, through its socket. */
async function command({ dataFolder }: TestGateway, ...words: string[]): Promise<string> {
  const { code, said, complained } = await runCommand([...words, '--data', dataFolder])
  expect({ code, complained }).toEqual({ code: 0, complained: '' })
  return said
}

const settled = (gateway: TestGateway, count: number) =>
  eventually(async () => {
    const { body } = await gateway.admin('GET', '/ledger/settlements')
    return body.data.length === count ? body.data : undefined
  })

/** Kinds that few requests have. */
const NO_FURTHER = Array.from({ length: 11 }, () => '0').join(',')

test('usage is what the settlements come to, as a table, as CSV and as JSON', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, price: { input: '4', output: '10' } }], 'maker/m2': [{ provider }] },
  })
  provider.script(completion('one', 100, 10), completion('two', 50, 5), json(500, { error: { message: 'no' } }))
  expect(await chat(gateway).status()).toBe(200)
  expect(await chat(gateway, { model: 'maker/m2' }).status()).toBe(200)
  expect(await chat(gateway).status()).toBe(502)
  const rows: { charged_nano: number; cost_nano: number }[] = await settled(gateway, 3)
  const sum = (of: (row: (typeof rows)[number]) => number) => String(rows.reduce((total, row) => total + of(row), 0))

  const whole = (await gateway.admin('GET', '/usage')).body.data
  expect(whole).toMatchObject([
    {
      requests: 3,
      voided: 1,
      units: { input: 150, output: 15 },
      charged_nano: sum(({ charged_nano }) => charged_nano),
      cost_nano: sum(({ cost_nano }) => cost_nano),
    },
  ])
  expect(BigInt(whole[0].charged_nano)).toBeGreaterThan(0n)

  const table = await command(gateway, 'usage', '--by', 'backend,model', '--cost', '--since', '7d')
  expect(table).toMatch(
    /^BACKEND +MODEL +REQUESTS +VOIDED +INPUT +CACHED +OUTPUT +COST +CHARGED +OVERRUN +EXPENSE +ABSORBED$/m,
  )
  expect(table).toMatch(/^b0 +m1 +1 +0 +100 +0 +10 +\$0\.0005 +\$0\.0005 +\$0\.00 +\$0\.00 +\$0\.00$/m)
  expect(table).toMatch(/^b1 +maker\/m2 +1 +0 +50 +0 +5 +\$0\.00025 /m)
  expect(table).toMatch(/^- +- +1 +1 +0 +0 +0 +\$0\.00 /m)
  expect(table).toMatch(/^total +3 +1 +150 +0 +15 +\$0\.00075 +\$0\.00075 +\$0\.00 +\$0\.00 +\$0\.00$/m)
  expect(await command(gateway, 'usage')).toMatch(/^20\d\d-\d\d-\d\d +3 +1 +150 +0 +15 +\$0\.00075 +\$0\.00075$/m)

  const csv = await command(gateway, 'usage', '--by', 'account,model', '--csv')
  expect(csv.split('\n')).toEqual([
    'account_id,account_name,model,requests,voided,input,cached_input,cache_write,output,reasoning,cache_write_long,input_audio,cached_input_audio,input_image,cached_input_image,output_audio,output_image,images,audio_ms,characters,searches,cost_usd,charged_usd',
    `${gateway.account},test,m1,1,0,100,0,0,10,0,${NO_FURTHER},0.0005,0.0005`,
    `${gateway.account},test,maker/m2,1,0,50,0,0,5,0,${NO_FURTHER},0.00025,0.00025`,
    `${gateway.account},test,,1,1,0,0,0,0,0,${NO_FURTHER},0.00,0.00`,
    '',
  ])
  expect(JSON.parse(await command(gateway, 'usage', '--account', 'test', '--json')).data).toMatchObject([
    { requests: 3 },
  ])
  expect(await command(gateway, 'usage', '--since', '2020-01-01', '--until', '2020-01-02')).toBe('nothing was used\n')
})

test('an attempt that may have cost without serving is told with that: in its record, and in usage with what providers bill', async () => {
  await using slow = await scriptedProvider()
  await using provider = await scriptedProvider()
  const offer = { cost: { input: '2', output: '4' } }
  await using gateway = await startGateway({
    offers: {
      m1: [
        { provider: slow, offer },
        { provider, offer },
      ],
    },
  })
  slow.script(sse(role(), reset()))
  provider.script(sse(role(), text('Hi'), finish(), usage(10, 5), done()))
  const answer = streamChat(gateway, { max_tokens: 100 })
  await answer.text()
  const { attempts } = await recordOf(gateway, await answer.head())
  expect(attempts).toMatchObject([
    { backend: 'b0', outcome: 'failed', absorbed: true },
    { backend: 'b1', absorbed: false },
  ])
  expect(attempts[1]).not.toHaveProperty('possible_cost_nano')
  const possible = attempts[0].possible_cost_nano
  expect(possible).toBe(3 * 2000 + 100 * 4000) // the prompt as it was reckoned, and the longest answer
  const { data } = (await gateway.admin('GET', '/usage?by=backend,day&cost=1')).body
  expect(data).toMatchObject([
    { backend: 'b0', requests: 0, expense_nano: '0', absorbed_nano: String(possible) },
    { backend: 'b1', requests: 1, expense_nano: String(10 * 2000 + 5 * 4000), absorbed_nano: '0' },
  ])
  const plain = (await gateway.admin('GET', '/usage?by=backend')).body.data
  expect(plain).toMatchObject([{ backend: 'b1' }])
  const other = (await gateway.admin('GET', '/usage?cost=1&until=2020-01-02&since=2020-01-01')).body.data
  expect(other).toEqual([])
  const ofAccount = (await gateway.admin('GET', `/usage?cost=1&by=owner,model&account=${gateway.account}`)).body.data
  expect(ofAccount).toMatchObject([{ owner: 'operator', model: 'm1', absorbed_nano: String(possible) }])
})
