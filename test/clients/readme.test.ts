import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runDemo } from '../support/run-demo.ts'

const text = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8')
const snippets = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, snippet = '']) => snippet)

test('what the README shows of SDKs runs in Node as it stands, and says what the demo answers', async () => {
  await using demo = await runDemo()
  expect(snippets.map((snippet) => /from '(.*)'/.exec(snippet)?.[1])).toEqual(['openai', '@anthropic-ai/sdk'])
  for (const snippet of snippets) {
    const child = Bun.spawn(['node', '--input-type=module', '-'], {
      cwd: import.meta.dir, // where the packages are
      stdin: Buffer.from(snippet.replace('http://127.0.0.1:8080', demo.origin)),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect({ code: await child.exited, said: said.trim(), complained }).toEqual({
      code: 0,
      said: expect.stringMatching(/^Hello from (north|south)\. I am a simulated provider\./),
      complained: '',
    })
  }
})
