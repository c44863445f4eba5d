import type { EntityManager } from '@mikro-orm/postgresql';
import type { ShownState, SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Source } from '@billing/service/save-record';
import { findCustomers } from '#copies/find-customers';
import { findCatalogIds } from '#copies/find-catalog-ids';
import { linkInvoices, lockWaitingInvoices } from '#money/link-invoices';
import type { Dependencies } from '../dependencies.ts';
import { applyReread } from './apply-observations.rules.ts';
import type { Reread } from './observation.rules.ts';
import { shownByReading } from './shown-states.rules.ts';
import { readTerms } from './subscription.rules.ts';
import { addShownStates } from './shown-states.ts';
import { subscriptionRows } from './subscription-rows.ts';
import { toState, type Subscription } from './subscription.entity.ts';
import { referenceOf } from './apply-subscription-events.ts';
import { assignState, namedInCatalog, newSubscription, recordedState } from './recorded-state.ts';
import { saveSubscriptions } from './save.ts';

/** A subscription that was read at the processor, outside of any transaction. */
interface SubscriptionRead {
  readonly scope: ProjectScope;
  readonly reread: Reread;
  readonly source: Source;
  /** Whether it was read because of an event: it is then none of the states that were shown, which do not depend on when events come. */
  readonly becauseOfEvent?: boolean;
  /** Of the change of its plan that it was read after. */
  readonly operationKey?: string | undefined;
}

/** A read that is saved, and what it shows. */
interface Saved<Read> {
  readonly read: Read;
  readonly row: Subscription;
  readonly before: SubscriptionState | null;
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
    const { scope, reread, becauseOfEvent = false, operationKey } = read;
    const key = scopedKey(toObject(read));
    const row = rows.get(key);
    const customerId = customerOf.get(read);
    if (saved.has(key) || (row?.version ?? null) !== reread.version) {
      outdated.push(read);
    } else if (row) {
      const [before, recorded] = [toState(row), recordedState(row)];
      const state = applyReread(recorded, reread);
      const shown = state.terms !== recorded.terms && !becauseOfEvent ? shownBy(reread) : [];
      assignState(row, { recorded, state }, catalogIds);
      if (operationKey) row.operationKey = operationKey;
      saved.set(key, { read, row, before, shown });
    } else if (customerId) {
      const { snapshot, readAt } = reread;
      const state = { terms: readTerms(snapshot, { observedAt: readAt }), position: null, readAt };
      const created = newSubscription({ scope, snapshot, state, customerId, catalogIds, now });
      if (operationKey) created.operationKey = operationKey;
      saved.set(key, { read, row: created, before: null, shown: becauseOfEvent ? [] : shownBy(reread) });
    } else {
      withoutCustomer.push(read);
    }
  }
  const all = [...saved.values()];
  const newlyShown = await addShownStates(
    tx,
    all.map(({ row, shown }) => ({ subscription: row, states: shown })),
  );
  await saveSubscriptions(
    tx,
    publish,
    all.map(({ read: { source }, row, before }) => ({ row, before, source, shown: newlyShown.get(row.id) })),
    now,
  );
  const created = all.filter(({ before }) => before === null);
  const recordedNow = created.map(({ row, read }) => ({ row, source: read.source }));
  await linkInvoices(tx, waiting, recordedNow, { publish, now });
  return { saved: all.map(({ row }) => row), outdated, withoutCustomer };
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
    {
      publish,
      cause,
      operationKey,
    }: { readonly publish: Publish; readonly operationKey?: string } & Pick<Source, 'cause'>,
  ): Promise<Subscription | 'outdated'> => {
    const source = { at: reread.readAt, cause };
    const { saved } = await saveReads(tx, [{ scope, reread, source, operationKey }], { publish, now: now() });
    return saved[0] ?? 'outdated';
  };
}

/** What a reading shows; nothing if its status is newer than this service. */
function shownBy({ snapshot, readAt }: Reread): ShownState[] {
  if (snapshot.status === null) return [];
  return shownByReading(readTerms(snapshot, { observedAt: readAt }), readAt);
}

const toObject = ({ scope, reread }: SubscriptionRead): ProjectObject => ({ scope, id: reread.snapshot.id });
