import type { RouterTerms } from '../domain/index.ts'
import type { ConfigInput } from './config-schema.ts'
import { nameSuggestion } from './name-suggestion.ts'
import { type Path, type Place, problemIn } from './parse-yaml.ts'
import { clip, type Problem } from './problem.ts'

type RouterInput = Pick<ConfigInput, 'aliases' | 'models' | 'routers'>

export interface RouterContext {
  readonly place: Place
  /** Alias -> model, of those that are sound. */
  readonly aliases: ReadonlyMap<string, string>
}

/** Checked input -> router models, their models by id. A name that is taken, or that leads nowhere, is a problem. */
export function assembleRouters(
  input: RouterInput,
  context: RouterContext,
): { readonly routers: ReadonlyMap<string, RouterTerms>; readonly problems: readonly Problem[] } {
  const assembly = new RouterAssembly(input, context)
  for (const [id, router] of Object.entries(input.routers)) assembly.add(id, router)
  return assembly
}

class RouterAssembly {
  readonly routers = new Map<string, RouterTerms>()
  readonly problems: Problem[] = []
  readonly #input: RouterInput
  readonly #context: RouterContext
  readonly #known: ReadonlySet<string>

  constructor(input: RouterInput, context: RouterContext) {
    this.#input = input
    this.#context = context
    this.#known = new Set([...Object.keys(input.models), ...Object.keys(input.aliases)])
  }

  add(id: string, { candidates, by, where, needs }: ConfigInput['routers'][string]): void {
    const path = ['routers', id]
    const taken = Object.hasOwn(this.#input.models, id)
      ? 'a model'
      : Object.hasOwn(this.#input.aliases, id)
        ? 'an alias'
        : null
    if (taken !== null)
      this.#report(
        path,
        'key',
        `'${id}' is ${taken} already: the router would be hidden`,
        'Give the router another name.',
      )
    const lists = Object.entries(needs)
    if (lists.length > 0 && by !== 'needs')
      this.#report(
        [...path, 'needs'],
        'key',
        `the router orders its models by ${by}`,
        "Say by: needs, or leave out 'needs'.",
      )
    this.routers.set(id, {
      candidates: candidates === undefined ? null : this.#models([...path, 'candidates'], candidates),
      by,
      freeOnly: where !== undefined,
      needs: Object.fromEntries(lists.map(([need, names]) => [need, this.#models([...path, 'needs', need], names)])),
    })
  }

  #models(path: Path, names: readonly string[]): string[] {
    return names.flatMap((name, at) => this.#model([...path, at], name) ?? [])
  }

  #model(path: Path, name: string): string | null {
    const { models, routers, aliases } = this.#input
    if (Object.hasOwn(models, name)) return name
    if (Object.hasOwn(aliases, name)) return this.#context.aliases.get(name) ?? null // told where the alias stands
    if (Object.hasOwn(routers, name))
      this.#report(path, 'value', `'${clip(name)}' is a router itself`, 'Name the models it stands for.')
    else {
      const suggestion = nameSuggestion('model', name, this.#known, this.problems.length)
      this.#report(path, 'value', `there is no model '${clip(name)}'`, suggestion)
    }
    return null
  }

  #report(path: Path, at: 'key' | 'value', reason: string, suggestion: string | null): void {
    this.problems.push(problemIn(this.#context.place, path, reason, suggestion, at))
  }
}
