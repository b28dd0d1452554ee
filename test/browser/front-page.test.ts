import { afterAll, expect, test } from 'bun:test'
import { browserWorld, CHROMIUM, expectTheme, faintTexts, openPage, overhang, TEST_MS_MAX, VIEWS } from './support.ts'

if (CHROMIUM === null) test.skip('the front page', () => {})
else {
  const world = await browserWorld(CHROMIUM)
  afterAll(() => world[Symbol.asyncDispose]())

  test.each(VIEWS)(
    '/ in $theme at $width px is whole, readable, and asks nobody else for anything',
    async (view) => {
      const [page, troubles] = await openPage(world, '/', view)
      expect(await page.locator('h1').textContent()).toStartWith('anyrouter')
      const rows = await page.locator('tbody').evaluateAll((all) => all.map((body) => body.children.length))
      expect(rows).toEqual([4, 2]) // models, router models
      await expectTheme(page, view.theme)
      expect(await overhang(page)).toBe(0)
      const tables = page.locator('.scroll')
      expect(await tables.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth))).toEqual([0, 0])
      expect(await faintTexts(page)).toEqual([])
      expect(troubles).toEqual([])
      await page.close()
    },
    TEST_MS_MAX,
  )

  test('every link of the front page leads somewhere without a key', async () => {
    const [page] = await openPage(world, '/', { theme: 'light', width: 1280 })
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(links).toContain('/swagger')
    for (const link of links) expect((await fetch(`${world.origin}${link}`)).status).toBe(200)
    await page.close()
  })
}
