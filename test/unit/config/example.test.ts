import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { configSchema } from '../../../src/config/config-schema.ts'
import { loadConfig } from '../../../src/config/index.ts'
import { surroundings } from './support.ts'

const PATH = join(import.meta.dir, '../../../docs/operating/anyrouter.example.yaml')

async function loadExample(change: (text: string) => string) {
  const text = change(await Bun.file(PATH).text())
  const files = { '/x/any.yaml': text, '/x/acme-spare.key': 'spare', '/x/openai.key': 'openai' }
  return loadConfig('/x/any.yaml', surroundings(files, { ACME_API_KEY: 'main' }))
}

const withoutCaFile = (text: string) => text.replace(/^ +tls: .*\n/m, '')

test('the example in the documentation loads', async () => {
  const loaded = await loadExample(withoutCaFile)
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems))
  const { catalogue } = loaded.config
  expect([...catalogue.backends.keys()]).toEqual(['acme-ca', 'acme-us', 'openai', 'workshop'])
  const [quoted, plain] = catalogue.models.get('acme/small')?.offers ?? []
  expect(quoted?.price).toMatchObject({ input: plain?.price?.input, output: plain?.price?.output })
})

test('the values it calls defaults are the defaults', async () => {
  const loaded = await loadExample(withoutCaFile)
  const defaults = await loadConfig(null, surroundings({}))
  if (loaded.kind === 'problems' || defaults.kind === 'problems') throw new Error('not loaded')
  const { catalogue: _example, settings: _theirs, ...settings } = loaded.config
  const { catalogue: _none, settings: _ours, ...expected } = defaults.config
  expect(settings).toEqual(expected)
})

test('it shows every section there is', async () => {
  const text = await Bun.file(PATH).text()
  for (const section of Object.keys(configSchema.shape)) expect(text).toContain(`\n${section}:`)
})
