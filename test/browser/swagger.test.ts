import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DEMO_KEY } from '../support/run-demo.ts'
import { browserWorld, CHROMIUM, expectTheme, faintTexts, openPage, overhang, TEST_MS_MAX, VIEWS } from './support.ts'

if (CHROMIUM === null) test.skip('Swagger UI', () => {})
else {
  const world = await browserWorld(CHROMIUM)
  afterAll(() => world[Symbol.asyncDispose]())
  const document = await (await fetch(`${world.origin}/swagger/json`)).json()
  const operations = Object.values<object>(document.paths).flatMap((path) => Object.keys(path))
  const [page, troubles] = await openPage(world, '/swagger', { theme: 'dark', width: 1280 })
  await page.locator('.opblock').first().waitFor()

  test('shows every operation, and asks nobody else for anything', async () => {
    await expectTheme(page, 'dark')
    expect((await shownOnTheWayDown(page)).size).toBe(operations.length)
    expect(troubles).toEqual([])
  })

  test(
    'an operation that is opened can be tried with a key, as its example stands',
    async () => {
      await page.locator('.btn.authorize').first().click()
      await page.locator('.auth-container input').first().fill(DEMO_KEY)
      await page.locator('.auth-container .btn.authorize').first().click()
      await page.locator('.btn-done').first().click()
      await page.locator('.opblock-post .opblock-summary-control').first().click()
      expect(await page.locator('.opblock-body textarea').first().inputValue()).toContain('demo/fast')
      await page.locator('.opblock-body .execute').first().click()
      const answer = page.locator('.live-responses-table')
      await answer.first().waitFor()
      expect(await answer.locator('.response-col_status').last().textContent()).toContain('200')
      expect(await answer.first().textContent()).toContain('I am a simulated provider.')
      expect(await answer.first().textContent()).toContain('server-timing')
      expect(troubles).toEqual([])
    },
    TEST_MS_MAX,
  )

  test.each(VIEWS)(
    'with an operation open, in $theme at $width px: the theme follows, all fits, all can be read',
    async ({ theme, width }) => {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height: 900 })
      await expectTheme(page, theme)
      expect(await overhang(page)).toBe(0)
      expect(await faintTexts(page)).toEqual([])
      expect(troubles).toEqual([])
    },
    TEST_MS_MAX,
  )
}

/** The ids of all operations: of a long document Swagger UI draws what is in view alone. */
async function shownOnTheWayDown(page: Page): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let isAtEnd = false; !isAtEnd; ) {
    for (const id of await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))) ids.add(id)
    isAtEnd = await page.evaluate(async () => {
      const before = scrollY
      scrollBy(0, innerHeight / 2)
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
      return scrollY === before
    })
  }
  await page.evaluate(() => scrollTo(0, 0))
  return ids
}
