import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { addToHistory } from '#domain/history.ts';
import type { Reread } from '#domain/observation.ts';
import { readTerms } from '#domain/subscription.ts';
import { findCustomers } from '#persistence/find-customers.ts';
import { findPriceIds } from '#persistence/find-price-ids.ts';
import { linkInvoices } from '#persistence/link-invoices.ts';
import { lockAll } from '#persistence/locks.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import { referenceOf } from './apply-subscription-events.ts';
import { applyToRow, pointIn } from './save-reread.ts';
import { newSubscription, pricesOf, publishCreated } from './save-subscriptions.ts';

/** A subscription that was read at the processor, outside of any transaction. */
interface SubscriptionRead {
  readonly scope: ProjectScope;
  readonly reread: Reread;
  readonly trace?: TraceCarrier | undefined;
  /** Whether it was read because of an event: it is no part of the history then, which does not depend on when events come. */
  readonly becauseOfEvent?: boolean;
}

/** What was not saved. */
interface Unsaved<Read> {
  /** The record has changed since the read, and may include something newer. */
  readonly outdated: readonly Read[];
  /** There is no record, and no copy of the customer. */
  readonly withoutCustomer: readonly Read[];
}

/**
 * Saves what was read of subscriptions, each once: those without a record are recorded as by their first event.
 * @throws Error for a status that this service does not know, if the subscription has no record
 */
export async function saveReads<Read extends SubscriptionRead>(
  tx: EntityManager,
  reads: readonly Read[],
  { publish, now }: { readonly publish: Publish; readonly now: Date },
): Promise<Unsaved<Read>> {
  if (reads.length === 0) return { outdated: [], withoutCustomer: [] };
  const priceIds = await findPriceIds(
    tx,
    reads.flatMap(({ scope, reread }) => pricesOf(scope, reread.snapshot)),
  );
  await lockAll(tx, 'subscription', reads.map(toObject));
  const rows = await subscriptionRows.find(tx, reads.map(toObject));
  const unrecorded = reads.filter(read => !rows.has(scopedKey(toObject(read))));
  const customerIds = await findCustomers(
    tx,
    unrecorded.map(({ scope, reread }) => referenceOf(scope, reread.snapshot)),
  );
  const customerOf = new Map(unrecorded.map((read, index) => [read, customerIds[index]]));

  const created: Subscription[] = [];
  const changed: Subscription[] = [];
  const outdated: Read[] = [];
  const withoutCustomer: Read[] = [];
  for (const read of reads) {
    const { scope, reread, trace, becauseOfEvent = false } = read;
    const row = rows.get(scopedKey(toObject(read)));
    const customerId = customerOf.get(read);
    if (row?.revision === reread.revision) {
      applyToRow(publish, row, { reread, priceIds, now });
      changed.push(row);
    } else if (row) {
      outdated.push(read);
    } else if (customerId) {
      const { snapshot, readAt } = reread;
      const state = { terms: readTerms(snapshot, { observedAt: readAt }), position: null, readAt };
      const history = addToHistory([], becauseOfEvent ? [] : [pointIn(reread)]);
      const next = newSubscription({ scope, snapshot, state, history, customerId, priceIds, now });
      publishCreated(publish, next, { trace });
      rows.set(scopedKey(toObject(read)), next);
      created.push(next);
    } else {
      withoutCustomer.push(read);
    }
  }
  await subscriptionRows.save(tx, [...created, ...changed]);
  await linkInvoices(tx, created);
  return { outdated, withoutCustomer };
}

const toObject = ({ scope, reread }: SubscriptionRead): ProjectObject => ({ scope, id: reread.snapshot.id });
