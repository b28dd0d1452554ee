import { type Browser, chromium, type Page } from 'playwright-core'
import { runDemo } from '../support/run-demo.ts'

/** Debian's; none is downloaded. Null: there is none, and the tests are skipped. */
export const CHROMIUM = process.env.ANYROUTER_CHROMIUM || Bun.which('chromium')

/** A page on a machine that does much else. */
export const TEST_MS_MAX = 60_000

/** The executable as a newcomer sees it, and a browser. */
export interface BrowserWorld extends AsyncDisposable {
  readonly origin: string
  readonly browser: Browser
}

export interface View {
  readonly theme: 'light' | 'dark'
  readonly width: number
}

export const VIEWS: readonly View[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 360 },
]

/** Starts the demo and a browser. */
export async function browserWorld(executablePath: string): Promise<BrowserWorld> {
  await using undo = new AsyncDisposableStack() // what a start that fails has begun
  const demo = undo.use(await runDemo())
  // Its sandbox needs rights that containers do not give; it opens nothing but our own pages.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  undo.defer(() => browser.close())
  const all = undo.move()
  return { origin: demo.origin, browser, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** A page that is open, and what went wrong in it so far: errors of the console, of scripts, of requests, and requests to elsewhere. */
export async function openPage(world: BrowserWorld, path: string, { theme, width }: View): Promise<[Page, string[]]> {
  const page = await world.browser.newPage({ colorScheme: theme, viewport: { width, height: 900 } })
  const troubles: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()}: ${response.url()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(world.origin) && !request.url().startsWith('data:'))
      troubles.push(`to elsewhere: ${request.url()}`)
  })
  await page.goto(`${world.origin}${path}`)
  return [page, troubles]
}

/** How far the page is wider than the window, in pixels. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Waits until the page as a whole is of this theme; rejects when it never is. */
export async function expectTheme(page: Page, theme: View['theme']): Promise<void> {
  await page.waitForFunction(
    (isDark) => {
      const [red = 255] = getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.map(Number) ?? []
      return red < 128 === isDark
    },
    theme === 'dark',
    { timeout: TEST_MS_MAX },
  )
}

/** Texts whose contrast to what is behind them is below 4.5 : 1 (WCAG 2.2, 1.4.3), with that contrast. */
export const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    // A new theme comes gradually, and what is drawn anew meanwhile begins again.
    for (let running = document.getAnimations(); running.length > 0; running = document.getAnimations())
      await Promise.allSettled(running.map(({ finished }) => finished))
    const numbers = (color: string): number[] => color.match(/[\d.]+/g)?.map(Number) ?? []
    const luminance = (color: readonly number[]): number => {
      const [red = 0, green = 0, blue = 0] = color.map((value) =>
        value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      )
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const paperOf = (element: Element | null): number[] => {
      for (let one = element; one !== null; one = one.parentElement) {
        const color = numbers(getComputedStyle(one).backgroundColor)
        if ((color[3] ?? 1) > 0.5) return color
      }
      return [255, 255, 255]
    }
    const faint = new Set<string>()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement
      const text = texts.currentNode.textContent?.trim() ?? ''
      if (element === null || text === '' || !element.checkVisibility()) continue
      if (['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(element.tagName)) continue
      const ink = luminance(numbers(getComputedStyle(element).color))
      const paper = luminance(paperOf(element))
      const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)
      if (contrast < 4.5) faint.add(`${contrast.toFixed(2)} ${element.className} ${text.slice(0, 40)}`)
    }
    return [...faint]
  })
