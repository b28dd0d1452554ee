import { expect, test } from 'bun:test'
import { swaggerPage } from '../../../src/site/index.ts'

const page = swaggerPage('0.1.0 & more')

test('the page loads what lies below it, in order, and nothing from elsewhere', () => {
  expect(page.html.match(/(?:src|href)="[^"]*"/g)).toEqual([
    'href="/favicon.ico"',
    'href="/swagger/ui.css"',
    'href="/swagger/page.css"',
    'href="/"',
    'href="/swagger/json"',
    'href="/swagger/json"',
    'src="/swagger/ui.js"',
    'src="/swagger/page.js"',
  ])
  for (const part of [page.html, page.style, page.script]) expect(part).not.toMatch(/https?:|\/\/[a-z]/i)
})

test('no script and no style stands in the page, which its policy forbids', () => {
  expect(page.html).not.toMatch(/<style|\sstyle=|\son\w+=|<script>/)
})

test('the validator of others is off, and the version is escaped', () => {
  expect(page.script).toContain('validatorUrl: null')
  expect(page.html).toContain('0.1.0 &amp; more')
})
