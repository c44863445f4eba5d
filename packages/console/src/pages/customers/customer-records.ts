import type { BillingEvent, Invoice, Payment, Subscription } from '@billing/client';
import { queryOptions } from '@tanstack/react-query';
import type { ProjectScope } from '#api/project.ts';
import type { ListSource } from '#layout/use-list-rows.ts';

const REFRESH_MS = 5_000;
const MAX_EVENTS = 50;

/** The records of a customer. The page reads the first page of each, and their tables as many as there are. */
export function customerLists({ billing, key }: ProjectScope, customerId: string) {
  return {
    subscriptions: {
      queryKey: key('subscriptions', { customerId }),
      list: (page, signal) => billing.subscriptions.list({ customerId, activeOnly: false, ...page }, { signal }),
      refreshMs: REFRESH_MS,
    } satisfies ListSource<Subscription>,
    invoices: {
      queryKey: key('invoices', { customerId }),
      list: (page, signal) => billing.invoices.list({ customerId, ...page }, { signal }),
      refreshMs: REFRESH_MS,
    } satisfies ListSource<Invoice>,
    payments: {
      queryKey: key('payments', { customerId }),
      list: (page, signal) => billing.payments.list({ customerId, ...page }, { signal }),
      refreshMs: REFRESH_MS,
    } satisfies ListSource<Payment>,
  };
}

/** The newest changes of a customer and of what the customer may use. */
export const customerEventsQuery = ({ billing, key }: ProjectScope, customerId: string) =>
  queryOptions({
    queryKey: key('state', customerId, 'events'),
    queryFn: async ({ signal }): Promise<readonly BillingEvent[]> =>
      (
        await billing.events
          .list({ objectId: customerId, types: ['customer.*'], order: 'desc', limit: MAX_EVENTS }, { signal })
          .page()
      ).items,
    refetchInterval: REFRESH_MS,
  });
