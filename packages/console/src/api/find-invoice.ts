import type { Invoice } from '@billing/client';
import { findTogether, MAX_IDS } from './find-together.ts';

/** Finds an invoice. */
export const findInvoice = findTogether<Invoice>(
  async ({ billing }, ids) => (await billing.invoices.list({ ids: [...ids], limit: MAX_IDS }).page()).items,
);
