import type { DunningCase, DunningTotals } from '@billing/client';

/** Returns what the cases of one status amount to, in each currency. */
export const sumsOf = (totals: DunningTotals, status: DunningCase['status']) =>
  Object.entries(totals).map(([currency, sums]) => ({ currency, amount: sums[status] }));
