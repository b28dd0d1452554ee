/**
 * The store's threads. This file is beside their entry points, and both are named by `new URL`: from source that is their path, and in the
 * compiled executable, where `tools/build.ts` adds them as entry points, all files are in one folder.
 */
export const spawnWriter = (): Worker => new Worker(new URL('./writer.ts', import.meta.url))

export const spawnReader = (): Worker => new Worker(new URL('./reader.ts', import.meta.url))
