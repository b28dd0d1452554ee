import { frontPage } from './front-page.ts'
import { type FrontPageSource, frontPageFacts } from './front-page-facts.ts'

/** The front page, and its ETag. */
export interface WrittenPage {
  readonly html: string
  readonly etag: string
}

/**
 * The front page as it stands: written once, and again when something on it changes. With hundreds of models it takes milliseconds to write, in
 * which nothing else is done, and anybody may ask for it.
 */
export function keepFrontPage(): (source: FrontPageSource) => WrittenPage {
  let kept: (WrittenPage & Pick<FrontPageSource, 'catalogue'> & { readonly told: string }) | null = null
  return (source) => {
    const { catalogue, origin, version, ready, isUp } = source
    const up = [...catalogue.backends.values()].filter(isUp).map(({ id }) => id)
    const told = JSON.stringify([origin, version, ready, up])
    if (kept === null || kept.catalogue !== catalogue || kept.told !== told) {
      const html = frontPage(frontPageFacts(source))
      kept = { catalogue, told, html, etag: `"${Bun.hash(html).toString(36)}"` }
    }
    return kept
  }
}
