import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { EventCause } from '@billing/contracts/resources/event';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Processor } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import type { InvoiceEvent } from './apply-invoice-events.ts';
import { invoiceRows } from './invoice-rows.ts';
import { positionOfRead } from './invoice.rules.ts';

/** What the processor returned, and the record's version before. */
export interface InvoiceRead {
  readonly snapshot: InvoiceSnapshot;
  readonly version: number;
}

/** Reads an invoice at the processor, outside of any transaction. `em` is not shared. */
export async function readInvoiceOf(
  processor: Pick<Processor, 'findInvoice'>,
  object: ProjectObject,
  em: EntityManager,
): Promise<InvoiceRead> {
  const row = (await invoiceRows.find(em, [object])).get(scopedKey(object));
  return { snapshot: await processor.findInvoice(object.id), version: row?.version ?? 0 };
}

/** Returns what was read of an invoice, to be applied as an event would be. */
export const toInvoiceEvent = (
  scope: ProjectScope,
  read: InvoiceRead,
  { readAt, cause }: { readonly readAt: Date; readonly cause: EventCause },
): InvoiceEvent => ({
  scope,
  snapshot: read.snapshot,
  position: positionOfRead(readAt),
  source: { at: readAt, cause },
  processorCustomerId: read.snapshot.customerId ?? '',
  reread: read,
});
