/** For the object of a test that has all of these: they end in this order when it is disposed of, whatever comes of the others' end. */
export const endedInTurn = (...all: readonly AsyncDisposable[]): AsyncDisposable => ({
  [Symbol.asyncDispose]() {
    const ends = new AsyncDisposableStack()
    for (const one of all.toReversed()) ends.use(one)
    return ends.disposeAsync()
  },
})
