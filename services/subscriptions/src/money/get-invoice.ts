import type { InvoiceId, ProjectScope } from '@billing/contracts/ids';
import { invoiceLine, type WholeInvoice } from '@billing/contracts/resources/invoice';
import { z } from 'zod';
import { findKnownPriceIds } from '#copies/find-catalog-ids';
import type { Dependencies } from '../dependencies.ts';
import { findInvoice } from './invoice-rows.ts';
import { toResource } from './invoice.entity.ts';

/**
 * Gets an invoice with its lines, which only this reads.
 * @throws Problem 404 `invoice_not_found`
 */
export function getInvoice({ em }: Pick<Dependencies, 'em'>) {
  return async (scope: ProjectScope, id: InvoiceId): Promise<WholeInvoice> => {
    const row = await findInvoice(em.fork(), scope, id, ['lines']);
    const billed = row.lines.flatMap(({ processorPriceId }) => processorPriceId ?? []);
    const priceIds = await findKnownPriceIds(em.fork(), scope, billed);
    const lines = row.lines.map(line =>
      z.decode(invoiceLine, { ...line, priceId: priceIds.get(line.processorPriceId ?? '') ?? null }),
    );
    return { ...toResource(row), lines };
  };
}
