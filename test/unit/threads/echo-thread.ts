import { type Call, serveThread } from '../../../src/threads/index.ts'

export interface EchoCalls {
  readonly echo: Call<string, string>
  readonly later: Call<string, Promise<string>>
  readonly refuse: Call<string, never>
  readonly order: Call<null, readonly string[]>
  readonly never: Call<null, Promise<string>>
  readonly exit: Call<null, null>
  readonly throwOutside: Call<null, null>
}

// A thread for the tests of `startThread`.
serveThread<EchoCalls, string>((post) => {
  const order: string[] = []
  return {
    echo(text) {
      queueMicrotask(() => order.push(`after ${text}`))
      order.push(text)
      return text
    },
    later: async (text) => text,
    refuse(text) {
      throw Object.assign(new RangeError(text), { code: 'E_TEST' })
    },
    order() {
      post('order was asked for')
      return order
    },
    never: () => new Promise(() => {}),
    exit: () => process.exit(7),
    throwOutside() {
      setImmediate(() => {
        throw new Error('outside of a call')
      })
      return null
    },
  }
})
