import type { Page } from '../contract.ts'

const ROWS_MAX = 1000

/** How many rows a page has at most: what was asked for, from 1 to 1,000. */
export const pageSize = ({ limit }: Page): number => Math.min(Math.max(1, Math.floor(limit)), ROWS_MAX)
