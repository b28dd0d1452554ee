import { availableParallelism, loadavg } from 'node:os'

/** How much longer something may take because others use the machine too: 1 on one that is free. */
export const busyness = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
