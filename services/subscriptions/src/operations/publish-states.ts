import { isDeepStrictEqual } from 'node:util';
import { EVENT_DATA } from '@billing/contracts/resources/event-data';
import type { Publish } from '@billing/messaging/outbox';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { publishResource } from '@billing/service/publish-resource';
import { nextChangeAt } from '#domain/customer-state.ts';
import { findCustomerRecords, type FoundCustomer } from '#persistence/find-customer-records.ts';
import { lockAll } from '#persistence/locks.ts';
import { deleteMarks, leaseMarks, spreadMarks } from '#persistence/state-marks.ts';
import {
  findPublishedStates,
  savePublishedStates,
  type StateData,
  type PublishedState,
} from '#persistence/published-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { stateOf, type StateSource } from './read-state.ts';

/**
 * Publishes the states of up to `limit` marked customers that differ from the last published ones: in what the customer may
 * use, or in how far payments are past due. The lock of each state lets one transaction at a time read, publish and save it,
 * so that no event is older than the one before it.
 */
export function publishStates({ outbox, logger, now }: Pick<Dependencies, 'outbox' | 'logger' | 'now'>) {
  return (limit: number): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      const marks = await leaseMarks(tx, limit);
      await spreadMarks(
        tx,
        marks.filter(({ customerId }) => customerId === null),
      );
      const customers = marks.flatMap(({ teamId, projectId, customerId: id }) =>
        id ? [{ scope: { teamId, projectId }, id }] : [],
      );
      await lockAll(tx, 'state', customers);
      const published = await findPublishedStates(tx, customers);
      const found = await findCustomerRecords(tx, customers);
      const [at, changed, failed] = [now(), [] as PublishedState[], new Set<string>()];
      for (const customer of found) {
        const { id, teamId } = customer.customer;
        try {
          const next = publishState(publish, customer, { last: published.get(id), at });
          if (next) changed.push(next);
        } catch (err) {
          // One customer must not delay the others: the mark stays, and is tried again when its lease ends.
          logger.error({ err, teamId, customerId: id }, 'state of a customer not computed');
          failed.add(id);
        }
      }
      await savePublishedStates(tx, changed);
      await deleteMarks(
        tx,
        marks.filter(({ customerId }) => !failed.has(customerId ?? '')),
      );
    });
}

/** Publishes a customer's state if it differs from the last published one, and returns what is to be saved then. */
function publishState(
  publish: Publish,
  found: FoundCustomer,
  { last, at }: { readonly last: PublishedState | undefined; readonly at: Date },
): PublishedState | undefined {
  const { id: customerId, teamId, projectId, deletedAt } = found.customer;
  const state = stateOf(deletedAt ? withoutAnything(found) : found, at);
  const isDifferent =
    state.payment.status !== (last?.state.payment.status ?? 'ok') ||
    !isDeepStrictEqual(asSaved(state.entitlements), last?.state.entitlements ?? {});
  // Time takes away what there is, and gives nothing.
  const dueAt = Object.keys(state.entitlements).length > 0 ? nextChangeAt(found.records, at) : null;
  const isErased = deletedAt !== null && last !== undefined;
  if (!isDifferent && !isErased)
    return !last || last.dueAt?.getTime() === dueAt?.getTime() ? undefined : { ...last, dueAt };

  const data = asSaved(EVENT_DATA.customer_state.encode(state)) as StateData; // JSON keeps the shape
  const next = { teamId, projectId, customerId, sequence: last?.sequence ?? 0, state: data, dueAt };
  // The name of a deleted customer is published no more, not even as what it was before.
  const before = last ? { ...last.state, ...(deletedAt && { customer: data.customer }) } : null;
  const object = { type: 'customer_state', id: customerId } as const;
  const change = { object, before, after: data, at, cause: CAUSED_BY_SYSTEM, isUnlimited: true };
  if (isDifferent) publishResource(publish, next, change);
  return next;
}

/** Returns a value as it reads once it was saved as JSON: without fields that are undefined. */
const asSaved = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What is left of a deleted customer: neither personal data nor anything that is granted or due. */
const withoutAnything = ({ customer, records }: FoundCustomer): StateSource => ({
  customer: { id: customer.id, email: null, externalId: null, balance: null },
  subscriptions: [],
  checkouts: [],
  records: { ...records, subscriptions: [], openInvoices: [], grants: [] },
});
