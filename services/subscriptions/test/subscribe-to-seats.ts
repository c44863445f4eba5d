import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Service } from './service.ts';
import { APRIL_13, subscribeOnClock } from './subscribe-on-clock.ts';

/** A subscription to 5 seats of 12.00 a month since 1 April, on 13 April. */
export async function subscribeToSeats(service: Service, options: Parameters<typeof subscribeOnClock>[1] = {}) {
  const subscribed = await subscribeOnClock(service, options);
  await subscribed.advance(APRIL_13);
  await subscribed.deliver();
  const { customerDefault } = await service.processor.findPaymentMethods(subscribed.payer.id);
  const cardId = customerDefault?.id ?? '';
  return {
    ...subscribed,
    /** The processor's id of the card. */
    cardId,
    /** The events for tenants of the subscription. */
    updates: async () => (await subscribed.publicEvents()).filter(({ object }) => object.id === subscribed.id),
    decline: (declines = true) => service.control.setCardDeclines(cardId, declines),
    authenticate: () => service.control.setCardAuthenticates(cardId, true),
    /** The invoices of changes at the processor. */
    invoicesOfChanges: async () =>
      (await subscribed.invoicesAtProcessor()).filter(({ billing_reason: reason }) => reason === 'subscription_update'),
    /** Pays the newest invoice, as the customer does on its page. */
    pay: async () => {
      const { latestInvoiceId } = await subscribed.atProcessor();
      await service.processor.payInvoice(latestInvoiceId ?? '', randomUUID());
    },
  };
}

/** The same subscription, and a price of 9.99. */
export async function subscribeWithOtherPlan(service: Service, options: Parameters<typeof subscribeToSeats>[1] = {}) {
  const subscribed = await subscribeToSeats(service, options);
  const { id, scope } = subscribed;
  return {
    ...subscribed,
    other: await subscribed.createPrice({ unitAmount: 999 }),
    patch: (cancelAtPeriodEnd: boolean) =>
      service.call('PATCH', `/subscriptions/${id}`, { of: scope, body: { cancelAtPeriodEnd } }),
  };
}

export type Seats = Awaited<ReturnType<typeof subscribeToSeats>>;

/** Checks that the record is as the processor has the subscription, before and after its events. */
export async function expectEqual({ get, atProcessor, deliver }: Seats): Promise<void> {
  const { status, items, pendingUpdate, schedule, currentPeriodStart } = await atProcessor();
  const next = schedule?.phases.at(-1);
  const theirs = {
    status,
    items: items.map(({ price, quantity }) => ({ processorPriceId: price.id, quantity })),
    pendingChange: pendingUpdate && {
      items: pendingUpdate.items.map(({ priceId, quantity }) => ({ processorPriceId: priceId, quantity })),
      ...pendingUpdate.payment,
      expiresAt: pendingUpdate.expiresAt.toISOString(),
    },
    scheduledChange:
      schedule?.metadata['changeId'] && next && next.startsAt > currentPeriodStart
        ? {
            id: schedule.metadata['changeId'],
            items: next.items.map(({ priceId, quantity }) => ({ processorPriceId: priceId, quantity })),
            effectiveAt: next.startsAt.toISOString(),
          }
        : null,
  };
  expect(await get()).toMatchObject(theirs);
  await deliver();
  expect(await get()).toMatchObject(theirs);
}
