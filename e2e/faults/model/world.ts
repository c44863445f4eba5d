import { foldCustomers, type ModelCustomer } from './customers.ts';
import { foldInvoices, type ModelInvoice } from './invoices.ts';
import { foldSubscriptions, type ModelSubscription } from './subscriptions.ts';
import type { ToldEvent } from './told-event.ts';

/** What a project must show once it has heard everything, by the processor's ids. */
export interface World {
  readonly subscriptions: ReadonlyMap<string, ModelSubscription>;
  readonly customers: ReadonlyMap<string, ModelCustomer>;
  readonly invoices: ReadonlyMap<string, ModelInvoice>;
}

/** The world that events lead to, whatever order they were delivered in; `told` is in the order of the telling. */
export const worldOf = (told: readonly ToldEvent[]): World => ({
  subscriptions: foldSubscriptions(told),
  customers: foldCustomers(told),
  invoices: foldInvoices(told),
});

/** Whether a referred customer of the processor counts as converted: once it has a subscription, whatever its status. */
export const hasSubscribed = ({ subscriptions }: World, processorCustomerId: string): boolean =>
  [...subscriptions.values()].some(it => it.processorCustomerId === processorCustomerId);
