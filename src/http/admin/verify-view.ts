import { formatUsd } from '../../domain/index.ts'
import type { VerifyReport } from '../../store/index.ts'

/** What a proof of a ledger found, as it is answered. */
export const verifyView = (report: VerifyReport): object => ({
  clean: report.clean,
  faults: report.faults,
  accounts: report.accounts,
  entries: report.entries,
  settlements: report.settlements,
  open_holds: report.openHolds,
  balance_sum_usd: formatUsd(BigInt(report.balanceSum)),
  balance_sum_nano: report.balanceSum,
})
