import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { EventCause } from '@billing/contracts/resources/event';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import type { Reread } from '#domain/observation.ts';
import type { Invoice } from '#persistence/invoice.entity.ts';
import { invoiceRows } from '#persistence/invoice-rows.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyInvoiceEvents } from './apply-invoice-events.ts';
import { readInvoiceOf, toInvoiceEvent, type InvoiceRead } from './change-invoice.ts';
import { readWith } from './read-subscription.ts';
import { saveReread } from './save-reads.ts';

/** A subscription and invoices of it, as the processor has them after a change. */
export interface ChangedAtProcessor {
  readonly reread: Reread;
  readonly invoices: readonly InvoiceRead[];
}

/** What is read, and with what. */
export interface Reader extends Pick<Dependencies, 'em' | 'now'> {
  readonly processor: Processor;
  readonly object: ProjectObject;
}

/** Reads a subscription at the processor, and those of its invoices that `invoicesOf` names. */
export async function readChanged(
  reader: Reader,
  invoicesOf: (snapshot: SubscriptionSnapshot) => readonly string[],
): Promise<ChangedAtProcessor> {
  const reread = await readWith({ ...reader, em: reader.em.fork() }, reader.object);
  return { reread, invoices: await readInvoices(reader, invoicesOf(reread.snapshot)) };
}

/** Reads invoices of the project at the processor. */
export const readInvoices = ({ processor, em, object }: Reader, ids: readonly string[]): Promise<InvoiceRead[]> =>
  Promise.all(ids.map(id => readInvoiceOf(processor, { ...object, id }, em.fork())));

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
    const row = await save(tx, scope, reread, { publish, cause });
    if (row === 'outdated') return row;
    const events = reads.map(read => toInvoiceEvent(scope, read, { readAt: now(), cause }));
    if ((await apply(tx, events, publish)).length > 0) return 'outdated';
    const objects = reads.map(({ snapshot: { id } }) => ({ scope, id }));
    const rows = await invoiceRows.find(tx, objects);
    const invoices = objects.flatMap(object => rows.get(scopedKey(object)) ?? []);
    const invoice = invoices.find(it => it.processorInvoiceId === reread.snapshot.latestInvoiceId) ?? null;
    for (const changed of invoice ? [row, invoice] : [row]) changed.operationKey = operationKey;
    await subscriptionRows.save(tx, [row]);
    await invoiceRows.save(tx, invoices);
    return { subscription: row, invoice };
  };
}
