import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { EventCause } from '@billing/contracts/resources/event';
import { scopedKey } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import { applyInvoiceEvents } from '#money/apply-invoice-events';
import { toInvoiceEvent } from '#money/read-invoice';
import { invoiceRows } from '#money/invoice-rows';
import type { Invoice } from '#money/invoice.entity';
import { saveReread } from '#record/save-reads';
import type { Subscription } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import type { ChangedAtProcessor } from './send.ts';

interface Commit {
  readonly publish: Publish;
  readonly cause: EventCause;
  readonly operationKey: string;
}

/**
 * Saves what an operation of ours has changed, as events about it would be. Returns the subscription and the
 * invoice that the change made, if it made one; or `outdated` when a record has changed since: then the processor has to be read again.
 */
export function saveChange({ now }: Pick<Dependencies, 'now'>) {
  const save = saveReread({ now });
  const apply = applyInvoiceEvents({ now });

  return async (
    tx: EntityManager,
    scope: ProjectScope,
    { reread, invoices: reads }: ChangedAtProcessor,
    { publish, cause, operationKey }: Commit,
  ): Promise<{ subscription: Subscription; invoice: Invoice | null } | 'outdated'> => {
    const row = await save(tx, scope, reread, { publish, cause, operationKey });
    if (row === 'outdated') return row;
    const events = reads.map(read => toInvoiceEvent(scope, read, { readAt: now(), cause }));
    if ((await apply(tx, events, publish)).length > 0) return 'outdated';
    const objects = reads.map(({ snapshot: { id } }) => ({ scope, id }));
    const rows = await invoiceRows.find(tx, objects);
    const invoices = objects.flatMap(object => rows.get(scopedKey(object)) ?? []);
    const invoice = invoices.find(it => it.processorInvoiceId === reread.snapshot.latestInvoiceId) ?? null;
    if (invoice) {
      invoice.operationKey = operationKey;
      await invoiceRows.save(tx, [invoice]);
    }
    return { subscription: row, invoice };
  };
}
