import type { Histogram } from './histogram.ts'

export type Labels = Readonly<Record<string, string>>

/** One metric with all its series. Its name says its unit; a counter's ends with `_total`. */
export type Family = PlainFamily | HistogramFamily

export interface PlainFamily extends Named {
  readonly type: 'counter' | 'gauge'
  readonly series: readonly { readonly labels?: Labels; readonly value: number }[]
}

export interface HistogramFamily extends Named {
  readonly type: 'histogram'
  readonly series: readonly { readonly labels?: Labels; readonly histogram: Histogram }[]
}

interface Named {
  readonly name: string
  readonly help: string
}

/** The media type of `exposition`. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * The families in Prometheus's text format 0.0.4, durations in seconds.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export const exposition = (families: readonly Family[]): string => families.map(familyText).join('')

function familyText(family: Family): string {
  const { name, help, type } = family
  const head = `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
  if (family.type !== 'histogram')
    return head + family.series.map(({ labels, value }) => line(name, labels, value)).join('')
  return head + family.series.map(({ labels, histogram }) => histogramText(name, labels, histogram)).join('')
}

const US_PER_S = 1_000_000

function histogramText(name: string, labels: Labels | undefined, { boundsUs, counts, sumUs }: Histogram): string {
  let sum = 0
  let lines = ''
  for (const [at, count] of counts.entries()) {
    sum += count
    const bound = boundsUs[at]
    const le = bound === undefined ? '+Inf' : String(bound / US_PER_S)
    lines += line(`${name}_bucket`, { ...labels, le }, sum)
  }
  return lines + line(`${name}_sum`, labels, sumUs / US_PER_S) + line(`${name}_count`, labels, sum)
}

function line(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
