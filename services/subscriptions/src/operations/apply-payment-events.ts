import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { PaymentSnapshot } from '#domain/payment-snapshot.ts';
import { supersedes, type PaymentState } from '#domain/payment.ts';
import { findCustomers, type CustomerReference } from '#persistence/find-customers.ts';
import { lockAll } from '#persistence/locks.ts';
import type { Payment } from '#persistence/payment.entity.ts';
import { paymentRows } from '#persistence/payment-rows.ts';
import type { Dependencies } from '../dependencies.ts';
import { fetchCustomer } from './fetch-customer.ts';

/** An event of a payment intent or charge that was routed to a project. */
export interface PaymentEvent {
  readonly scope: ProjectScope;
  readonly snapshot: PaymentSnapshot;
  /** The processor's time. */
  readonly at: Date;
  readonly eventId: string;
}

/**
 * Records how payments ended, so that every order of delivery leads to the same record. Returns the events that need
 * `preparePaymentEvent` first: the customer of the payment has no copy here.
 */
export function applyPaymentEvents({ now }: Pick<Dependencies, 'now'>) {
  return async <Event extends PaymentEvent>(tx: EntityManager, events: readonly Event[]): Promise<Event[]> => {
    await lockAll(tx, 'payment', events.map(toObject));
    const rows = await paymentRows.find(tx, events.map(toObject));
    const customerIds = await findCustomersOf(
      tx,
      events.filter(event => !rows.has(scopedKey(toObject(event)))),
    );
    const changed = new Set<Payment>();
    const unprepared: Event[] = [];
    for (const event of events) {
      const key = scopedKey(toObject(event));
      const row = rows.get(key);
      const customerId = event.snapshot.processorCustomerId === null ? null : customerIds.get(event);
      if (row) {
        if (updatePayment(row, event, now())) changed.add(row);
      } else if (customerId === undefined) {
        unprepared.push(event);
      } else {
        const created = createPayment(event, customerId, now());
        rows.set(key, created);
        changed.add(created);
      }
    }
    await paymentRows.save(tx, [...changed]);
    return unprepared;
  };
}

/** Fetches a copy of the payment's customer, outside of any transaction. */
export function preparePaymentEvent(dependencies: Pick<Dependencies, 'em' | 'rpc'>) {
  const fetch = fetchCustomer(dependencies);
  return async (event: PaymentEvent): Promise<null> => {
    for (const reference of referencesOf(event)) await fetch(reference);
    return null;
  };
}

function createPayment(
  { scope, snapshot, at, eventId }: PaymentEvent,
  customerId: CustomerId | null,
  now: Date,
): Payment {
  const { processorId, kind, status, amount, currency, failureCode, processorPaymentIntentId, createdAt } = snapshot;
  return {
    teamId: scope.teamId,
    projectId: scope.projectId,
    processorId,
    kind,
    customerId,
    processorPaymentIntentId,
    status,
    amount,
    currency,
    failureCode,
    eventAt: at,
    eventId,
    createdAt,
    updatedAt: now,
  };
}

/** Writes the event's state into the row if it replaces the recorded one, and returns whether it does. */
function updatePayment(row: Payment, { snapshot, at, eventId }: PaymentEvent, now: Date): boolean {
  const { status, amount, currency, failureCode } = snapshot;
  const recorded: PaymentState = { status: row.status, at: row.eventAt, eventId: row.eventId };
  if (!supersedes({ status, at, eventId }, recorded)) return false;
  const next: Partial<Payment> = { status, amount, currency, failureCode, eventAt: at, eventId, updatedAt: now };
  Object.assign(row, next);
  return true;
}

async function findCustomersOf<Event extends PaymentEvent>(
  tx: EntityManager,
  events: readonly Event[],
): Promise<ReadonlyMap<Event, CustomerId | undefined>> {
  const withCustomer = events.filter(event => event.snapshot.processorCustomerId !== null);
  const ids = await findCustomers(tx, withCustomer.flatMap(referencesOf));
  return new Map(withCustomer.map((event, index) => [event, ids[index]]));
}

const toObject = ({ scope, snapshot }: PaymentEvent): ProjectObject => ({ scope, id: snapshot.processorId });

/** How the payment refers to its customer; empty for a payment without one. */
const referencesOf = ({ scope, snapshot: { processorCustomerId, metadata } }: PaymentEvent): CustomerReference[] =>
  processorCustomerId === null ? [] : [{ scope, processorCustomerId, metadata }];
