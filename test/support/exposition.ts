/** What a scrape says: values by series as it is written, e.g. `a_total{b="c"}`, and types by family. */
export interface Scrape {
  readonly values: ReadonlyMap<string, number>
  readonly types: ReadonlyMap<string, string>
  /** Of the series of this name with exactly these labels, in any order; 0 when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number
}

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/g

/** Reads Prometheus's text format as strictly as it is specified. Throws for a line that is none, a series twice, a sample before its head. */
export function readExposition(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const values = new Map<string, number>()
  const types = new Map<string, string>()
  let family = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const head = HEAD.exec(line)
    if (head !== null) {
      const [, what, name = '', said = ''] = head
      if (what === 'HELP' ? types.has(name) : name !== family) throw new Error(`out of order: ${line}`)
      family = name
      if (what === 'TYPE') types.set(name, said)
      continue
    }
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
    const suffixes = types.get(family) === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    if (!suffixes.some((suffix) => name === family + suffix)) throw new Error(`not a sample of ${family}: ${line}`)
    const series = seriesOf(
      name,
      [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text]),
    )
    if (values.has(series)) throw new Error(`twice: ${series}`)
    if (!Number.isFinite(Number(value))) throw new Error(`no number: ${line}`)
    values.set(series, Number(value))
  }
  return { values, types, value: (name, labels = {}) => values.get(seriesOf(name, Object.entries(labels))) ?? 0 }
}

const seriesOf = (name: string, labels: readonly (readonly [string, string])[]): string =>
  `${name}{${labels
    .map(([label, text]) => `${label}=${text}`)
    .sort()
    .join(',')}}`
