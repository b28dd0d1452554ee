/** A body that is written as it comes: `run` once its reader is there; its end is the body's. `cancel` when the reader is gone. */
export function directBody({ run, cancel }: DirectSource): ReadableStream<Uint8Array> {
  const source = { type: 'direct' as const, pull: run, cancel }
  // Bun's direct streams are not in the standard's types.
  return new ReadableStream(source as unknown as ConstructorParameters<typeof ReadableStream<Uint8Array>>[0])
}

export interface DirectSource {
  run(controller: DirectController): Promise<void>
  cancel(): void
}

/** What Bun hands to a stream of type `direct`. `write` answers a promise when the client's socket is full. */
export interface DirectController {
  write(bytes: Uint8Array): number | Promise<number>
  flush(): number | Promise<number>
  close(error?: Error): void
}

/** Ends a body with these bytes. Its reader may be gone already: then there is nobody to tell. */
export function endSafely(controller: DirectController, last: readonly Uint8Array[]): void {
  try {
    for (const bytes of last) if (bytes.byteLength > 0) controller.write(bytes)
    controller.close()
  } catch {
    // see above
  }
}

/** Breaks a body off, so that nobody takes its part for the whole. */
export function breakSafely(controller: DirectController, error: Error): void {
  try {
    controller.close(error)
  } catch {
    // as above
  }
}
