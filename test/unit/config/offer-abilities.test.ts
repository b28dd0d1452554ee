import { expect, test } from 'bun:test'
import { configOf, problemsOf } from './support.ts'

const ABILITIES = `
providers:
  acme: { backends: { a: { url: "http://127.0.0.1:9" }, b: { url: "http://127.0.0.1:9" } } }
models:
  acme/m:
    operations: [chat.completions, completions]
    capabilities: [tools, audio]
    parameters: [seed]
    offers:
      - { backend: a, operations: [embeddings], capabilities: [], parameters: [top_k], quantization: fp8, weight: 0.5 }
      - { backend: b }
  acme/plain: { offers: [{ backend: a }] }
`

test('what an offer can do is what it says, else what its model says; what nobody says is left open', async () => {
  const { catalogue } = await configOf(ABILITIES)
  expect(catalogue.models.get('acme/m')).toMatchObject({ capabilities: ['tools', 'audio'] })
  const [own, models] = catalogue.models.get('acme/m')?.offers ?? []
  expect(own).toMatchObject({
    operations: ['embeddings'],
    capabilities: [],
    parameters: ['top_k'],
    quantization: 'fp8',
    weight: 0.5,
  })
  expect(models).toMatchObject({ capabilities: ['tools', 'audio'], parameters: ['seed'] })
  expect(models?.operations).toEqual(['chat.completions', 'completions'])
  expect(models).not.toContainKeys(['quantization', 'weight'])
  expect(catalogue.models.get('acme/plain')?.capabilities).toEqual([])
  expect(catalogue.models.get('acme/plain')?.offers[0]).not.toContainKeys(['operations', 'capabilities', 'parameters'])
})

test.each(['operations: [models.list]', 'operations: []', 'capabilities: [flying]', 'parameters: [Temperature]'])(
  'a model with %s is a problem',
  async (field) => {
    const text = ABILITIES.replace('acme/plain: {', `acme/plain: { ${field},`)
    expect(await problemsOf(text)).toHaveLength(1)
  },
)

test.each(['quantization: fp3', 'weight: -1', 'weight: heavy'])('an offer with %s is a problem', async (field) => {
  expect(await problemsOf(ABILITIES.replace('{ backend: b }', `{ backend: b, ${field} }`))).toHaveLength(1)
})
