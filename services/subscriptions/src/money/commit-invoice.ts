import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventCause } from '@billing/contracts/resources/event';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import { STALE } from '@billing/processor/operation-log/operation-kind';
import type { Dependencies } from '../dependencies.ts';
import { applyInvoiceEvents } from './apply-invoice-events.ts';
import { toInvoiceEvent, type InvoiceRead } from './read-invoice.ts';
import { invoiceRows } from './invoice-rows.ts';
import type { Invoice } from './invoice.entity.ts';

/** An invoice as an operation has read it, and where that is recorded. */
interface ReadByOperation extends ProjectObject {
  readonly operationKey: string;
  readonly read: InvoiceRead;
}

/**
 * Records an invoice as the processor returned it to an operation, in the transaction that ends the operation; an invoice that
 * is new to us gets its record. `STALE` when the record has changed since it was read.
 */
export function commitInvoice({ now }: Pick<Dependencies, 'now'>) {
  const apply = applyInvoiceEvents({ now });
  return async (
    tx: EntityManager,
    { scope, id, operationKey, read }: ReadByOperation,
    publish: Publish,
    cause: EventCause,
  ): Promise<Invoice | typeof STALE> => {
    const unprepared = await apply(tx, [toInvoiceEvent(scope, read, { readAt: now(), cause })], publish);
    if (unprepared.length > 0) return STALE;
    const object = { scope, id };
    const row = (await invoiceRows.find(tx, [object])).get(scopedKey(object));
    if (!row) throw new Error(`The invoice ${id} has no record.`);
    row.operationKey = operationKey;
    await invoiceRows.save(tx, [row]);
    return row;
  };
}
