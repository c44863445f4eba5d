import { foldPrices, foldProducts, type ModelPrice, type ModelProduct } from './catalog.ts';
import { foldCustomers, type ModelCustomer } from './customers.ts';
import { findForeign } from './foreign-events.ts';
import { foldInvoices, type ModelInvoice } from './invoices.ts';
import { foldPayments, type ModelPayment } from './payments.ts';
import type { StripeEvent } from './stripe-event.ts';
import { foldSubscriptions, type ModelSubscription } from './subscriptions.ts';

/** What a project must show once every event is processed, and what not. Keys are Stripe ids. */
export interface ExpectedState {
  readonly subscriptions: ReadonlyMap<string, ModelSubscription>;
  readonly customers: ReadonlyMap<string, ModelCustomer>;
  readonly products: ReadonlyMap<string, ModelProduct>;
  readonly prices: ReadonlyMap<string, ModelPrice>;
  readonly invoices: ReadonlyMap<string, ModelInvoice>;
  readonly payments: ReadonlyMap<string, ModelPayment>;
  /** Ids of events that belong to nobody here. */
  readonly foreignEvents: ReadonlySet<string>;
}

/** Computes the expected state, independent of delivery order. `events` must be in the order Stripe created them. */
export function buildExpectedState(events: readonly StripeEvent[]): ExpectedState {
  const foreign = findForeign(events);
  const withoutForeign = <Model extends Owned>(models: ReadonlyMap<string, Model>) =>
    new Map([...models].filter(([, { processorCustomerId: id }]) => id === null || !foreign.customers.has(id)));
  return {
    subscriptions: withoutForeign(foldSubscriptions(events)),
    customers: foldCustomers(events),
    products: new Map([...foldProducts(events)].filter(([id]) => !foreign.products.has(id))),
    prices: new Map(
      [...foldPrices(events)].filter(([, price]) => !foreign.products.has(price?.processorProductId ?? '')),
    ),
    invoices: withoutForeign(foldInvoices(events)),
    payments: withoutForeign(foldPayments(events)),
    foreignEvents: foreign.events,
  };
}

interface Owned {
  readonly processorCustomerId: string | null;
}

/** Returns whether a referred customer counts as converted: it has a subscription, in any status. */
export const hasSubscribed = ({ subscriptions }: ExpectedState, processorCustomerId: string): boolean =>
  [...subscriptions.values()].some(it => it.processorCustomerId === processorCustomerId);
