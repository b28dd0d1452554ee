import { readableConnection } from './connection.ts'

/** The last settlement that a records file has followed. */
export function watermarkOf(recordsPath: string): bigint {
  using db = readableConnection(recordsPath)
  const row = db.prepare<{ settlement_seq: number }, []>('SELECT settlement_seq FROM follower').get()
  return BigInt(row?.settlement_seq ?? 0)
}
