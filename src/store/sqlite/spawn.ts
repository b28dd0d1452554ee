// This file is beside the threads' entry points, and both are named by `new URL`: from source that is their path, and in the compiled
// executable, where `tools/build.ts` adds them as entry points, all files are in one folder.

/** Starts the one thread that writes. */
export const spawnWriter = (): Worker => new Worker(new URL('./writer.ts', import.meta.url))

/** Starts a thread that reads for the admin API; with a small heap: it rests most of the time. */
export const spawnReader = (): Worker => new Worker(new URL('./reader.ts', import.meta.url), { smol: true })
