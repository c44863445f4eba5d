import { foldCustomers, type ModelCustomer } from './customers.ts';
import { foldInvoices, type ModelInvoice } from './invoices.ts';
import type { StripeEvent } from './stripe-event.ts';
import { foldSubscriptions, type ModelSubscription } from './subscriptions.ts';

/** What a project must show once every event is processed. Keys are Stripe ids. */
export interface ExpectedState {
  readonly subscriptions: ReadonlyMap<string, ModelSubscription>;
  readonly customers: ReadonlyMap<string, ModelCustomer>;
  readonly invoices: ReadonlyMap<string, ModelInvoice>;
}

/** Computes the expected state, independent of delivery order. `events` must be in the order Stripe created them. */
export const buildExpectedState = (events: readonly StripeEvent[]): ExpectedState => ({
  subscriptions: foldSubscriptions(events),
  customers: foldCustomers(events),
  invoices: foldInvoices(events),
});

/** Returns whether a referred customer counts as converted: it has a subscription, in any status. */
export const hasSubscribed = ({ subscriptions }: ExpectedState, processorCustomerId: string): boolean =>
  [...subscriptions.values()].some(it => it.processorCustomerId === processorCustomerId);
