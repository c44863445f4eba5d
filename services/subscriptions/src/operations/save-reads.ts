import type { EntityManager } from '@mikro-orm/postgresql';
import type { ShownState } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Reread } from '#domain/observation.ts';
import { readTerms } from '#domain/subscription.ts';
import { findCustomers } from '#persistence/find-customers.ts';
import { findPriceIds } from '#persistence/find-price-ids.ts';
import { linkInvoices } from '#persistence/link-invoices.ts';
import { lockAll } from '#persistence/locks.ts';
import { addShownStates } from '#persistence/shown-states.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import { referenceOf } from './apply-subscription-events.ts';
import { applyToRow, newlyShownBy, shownBy } from './save-reread.ts';
import { newSubscription, pricesOf, publishCreated } from './save-subscriptions.ts';

/** A subscription that was read at the processor, outside of any transaction. */
interface SubscriptionRead {
  readonly scope: ProjectScope;
  readonly reread: Reread;
  readonly trace?: TraceCarrier | undefined;
  /** Whether it was read because of an event: it is then none of the states that were shown, which do not depend on when events come. */
  readonly becauseOfEvent?: boolean;
}

/** A read that is saved, and the states that it shows. */
interface Saved<Read> {
  readonly read: Read;
  readonly row: Subscription;
  readonly isNew: boolean;
  readonly states: readonly ShownState[];
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

  const saved = new Map<string, Saved<Read>>();
  const outdated: Read[] = [];
  const withoutCustomer: Read[] = [];
  for (const read of reads) {
    const { scope, reread, becauseOfEvent = false } = read;
    const key = scopedKey(toObject(read));
    const row = rows.get(key);
    const customerId = customerOf.get(read);
    if (saved.has(key) || (row && row.revision !== reread.revision)) {
      outdated.push(read);
    } else if (row) {
      saved.set(key, { read, row, isNew: false, states: newlyShownBy(row, reread) });
    } else if (customerId) {
      const { snapshot, readAt } = reread;
      const state = { terms: readTerms(snapshot, { observedAt: readAt }), position: null, readAt };
      const next = newSubscription({ scope, snapshot, state, customerId, priceIds, now });
      saved.set(key, { read, row: next, isNew: true, states: becauseOfEvent ? [] : shownBy(reread) });
    } else {
      withoutCustomer.push(read);
    }
  }
  const all = [...saved.values()];
  const shownStates = await addShownStates(
    tx,
    all.map(({ row, states }) => ({ subscription: row, states })),
  );
  for (const { read, row, isNew } of all) {
    const shown = shownStates.get(row.id);
    if (isNew) publishCreated(publish, row, { shown, trace: read.trace });
    else applyToRow(publish, row, { reread: read.reread, shown, priceIds, now });
  }
  await subscriptionRows.save(
    tx,
    all.map(({ row }) => row),
  );
  await linkInvoices(
    tx,
    all.filter(({ isNew }) => isNew).map(({ row }) => row),
  );
  return { outdated, withoutCustomer };
}

const toObject = ({ scope, reread }: SubscriptionRead): ProjectObject => ({ scope, id: reread.snapshot.id });
