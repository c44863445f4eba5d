import type { EntityManager } from '@mikro-orm/postgresql';
import type { ShownState } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Source } from '@billing/service/publish-resource';
import { applyReread } from '#domain/apply-observations.ts';
import type { RecordedState, Reread } from '#domain/observation.ts';
import { shownByReading } from '#domain/shown-states.ts';
import { readTerms } from '#domain/subscription.ts';
import { findCustomers } from '#persistence/find-customers.ts';
import { findCatalogIds } from '#persistence/find-catalog-ids.ts';
import { addShownStates } from '#persistence/shown-states.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { referenceOf } from './apply-subscription-events.ts';
import { linkInvoices, lockWaitingInvoices } from './link-invoices.ts';
import {
  changeSubscription,
  confirmSubscription,
  namedInCatalog,
  newSubscription,
  publishCreated,
  recordedState,
} from './save-subscriptions.ts';
import { told } from './tell-tenants.ts';

/** A subscription that was read at the processor, outside of any transaction. */
interface SubscriptionRead {
  readonly scope: ProjectScope;
  readonly reread: Reread;
  readonly source: Source;
  /** Whether it was read because of an event: it is then none of the states that were shown, which do not depend on when events come. */
  readonly becauseOfEvent?: boolean;
}

/** A read that is saved, the state that it leads to and those that it shows. */
interface Saved<Read> {
  readonly read: Read;
  readonly row: Subscription;
  readonly state: RecordedState;
  readonly change: 'created' | 'changed' | 'confirmed';
  readonly shown: readonly ShownState[];
}

/** What was saved, and what was not. */
interface Outcome<Read> {
  readonly saved: readonly Subscription[];
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
): Promise<Outcome<Read>> {
  if (reads.length === 0) return { saved: [], outdated: [], withoutCustomer: [] };
  const catalogIds = await findCatalogIds(
    tx,
    reads.flatMap(({ scope, reread }) => namedInCatalog(scope, reread.snapshot)),
  );
  await subscriptionRows.lock(tx, reads.map(toObject));
  const rows = await subscriptionRows.find(tx, reads.map(toObject));
  const unrecorded = reads.filter(read => !rows.has(scopedKey(toObject(read))));
  const waiting = await lockWaitingInvoices(tx, unrecorded.map(toObject));
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
    if (saved.has(key) || (row?.revision ?? null) !== reread.revision) {
      outdated.push(read);
    } else if (row) {
      const recorded = recordedState(row);
      const state = applyReread(recorded, reread);
      const isChange = state.terms !== recorded.terms;
      const shown = isChange && !becauseOfEvent ? shownBy(reread) : [];
      saved.set(key, { read, row, state, change: isChange ? 'changed' : 'confirmed', shown });
    } else if (customerId) {
      const { snapshot, readAt } = reread;
      const state = { terms: readTerms(snapshot, { observedAt: readAt }), position: null, readAt };
      const created = newSubscription({ scope, snapshot, state, customerId, catalogIds, now });
      const shown = becauseOfEvent ? [] : shownBy(reread);
      saved.set(key, { read, row: created, state, change: 'created', shown });
    } else {
      withoutCustomer.push(read);
    }
  }
  const all = [...saved.values()];
  const newlyShown = await addShownStates(
    tx,
    all.map(({ row, shown }) => ({ subscription: row, states: shown })),
  );
  for (const { read, row, state, change } of all) {
    if (change === 'confirmed') {
      confirmSubscription(row, state);
      continue;
    }
    const before = change === 'created' ? null : told.subscription.toJson(row);
    const carried = { shown: newlyShown.get(row.id), trace: read.source.trace };
    if (change === 'created') publishCreated(publish, row, carried);
    else changeSubscription(publish, row, { state, catalogIds, ...carried });
    told.subscription.tell(publish, row, { ...read.source, before, now });
  }
  const savedRows = all.map(({ row }) => row);
  await subscriptionRows.save(tx, savedRows);
  const created = all.filter(({ change }) => change === 'created');
  const recordedNow = created.map(({ row, read }) => ({ row, source: read.source }));
  await linkInvoices(tx, waiting, recordedNow, { publish, now });
  return { saved: savedRows, outdated, withoutCustomer };
}

/**
 * Saves what the processor returned for a recorded subscription. Returns its row, or `outdated` when the record has
 * changed since: then the processor has to be read again.
 */
export function saveReread({ now }: Pick<Dependencies, 'now'>) {
  return async (
    tx: EntityManager,
    scope: ProjectScope,
    reread: Reread,
    { publish, cause }: { readonly publish: Publish } & Pick<Source, 'cause'>,
  ): Promise<Subscription | 'outdated'> => {
    const source = { at: reread.readAt, cause };
    const { saved } = await saveReads(tx, [{ scope, reread, source }], { publish, now: now() });
    return saved[0] ?? 'outdated';
  };
}

/** What a reading shows; nothing if its status is newer than this service. */
function shownBy({ snapshot, readAt }: Reread): ShownState[] {
  if (snapshot.status === null) return [];
  return shownByReading(readTerms(snapshot, { observedAt: readAt }), readAt);
}

const toObject = ({ scope, reread }: SubscriptionRead): ProjectObject => ({ scope, id: reread.snapshot.id });
