import { plugin } from 'bun'
import { sourceDefects } from './source-defects.ts'

// Loaded before a test file: the one source file that has the defect is read with it.
const defect = sourceDefects.find(({ name }) => name === process.env.ANYROUTER_DEFECT)
if (defect === undefined) throw new Error(`no such defect: ${process.env.ANYROUTER_DEFECT}`)
const { file, whole, spoiled } = defect

plugin({
  name: 'seed-defect',
  setup(build) {
    build.onLoad({ filter: new RegExp(`/${file.replaceAll('.', '\\.')}$`) }, async ({ path }) => {
      const source = await Bun.file(path).text()
      return { contents: source.replace(whole, () => spoiled), loader: 'ts' }
    })
  },
})
