import { expect } from 'vitest';
import { ProcessorError } from '../../src/errors.ts';
import type { Cases } from './cases.ts';

const NOW = { proration: 'always_invoice', paymentBehavior: 'pending_if_incomplete' } as const;

/** Tests previews and changes of plans, and schedules. */
export function planChangeCases({ paidIt, processor, key, subscribe, monthly }: Cases): void {
  const start = async () => {
    const { price, subscription } = await subscribe();
    const wanted = { productId: price.productId, unitAmount: 9_900, currency: 'usd', recurring: monthly, metadata: {} };
    const dearer = await processor().createPrice(wanted, key());
    const itemId = subscription.items[0]?.id ?? '';
    const items = [{ id: itemId, priceId: dearer.id, quantity: 3 }];
    return { subscription, price, dearer, itemId, items, id: subscription.id };
  };

  paidIt('bills a change as it was previewed', async () => {
    const { id, items, itemId, dearer } = await start();
    const prorationDate = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const change = { ...NOW, items, prorationDate };
    const preview = await processor().previewInvoice(id, change);
    expect(preview).toMatchObject({ currency: 'usd', prorationDate, discount: 0, tax: 0 });
    expect(preview?.lines).toMatchObject([
      { isProration: true, quantity: 2 },
      { isProration: true, quantity: 3, priceId: dearer.id },
    ]);
    expect(await processor().previewInvoice(id, change, 'recurring')).toMatchObject({ total: 3 * 9_900 });
    const changed = await processor().changeSubscription(id, { ...change, metadata: { change: '1' } }, key());
    expect(changed).toMatchObject({ status: 'active', pendingUpdate: null, metadata: { change: '1' } });
    expect(changed.items).toMatchObject([{ id: itemId, quantity: 3, price: { id: dearer.id } }]);
    const invoice = await processor().findInvoice(changed.latestInvoiceId ?? '');
    expect(invoice).toMatchObject({ status: 'paid', amountPaid: preview?.amountDue });
    expect(await processor().previewInvoice(id)).toMatchObject({ total: 3 * 9_900, prorationDate: null });
  });

  paidIt('makes a change once under one idempotency key', async () => {
    const { id, items } = await start();
    const sameKey = key();
    const change = { ...NOW, items };
    const [first, second] = [
      await processor().changeSubscription(id, change, sameKey),
      await processor().changeSubscription(id, change, sameKey),
    ];
    expect(second).toEqual(first);
  });

  paidIt('has an invoice that says what is to be paid, and where', async () => {
    const { subscription } = await subscribe();
    const { id, amountDue, hostedInvoiceUrl } = await processor().findInvoice(subscription.latestInvoiceId ?? '');
    expect(await processor().findPendingPayment(id)).toMatchObject({ amountDue, hostedInvoiceUrl });
    expect(await processor().findPendingPayment('in_none')).toBeNull();
  });

  paidIt('has no next invoice when it ends with its period', async () => {
    const { id } = await start();
    await processor().setCancelAtPeriodEnd(id, true, key());
    expect(await processor().previewInvoice(id)).toBeNull();
  });

  paidIt('is refused for a date outside of the period', async () => {
    const { id, items } = await start();
    const change = { ...NOW, items, prorationDate: new Date(Date.now() - 86_400_000) };
    await expect(processor().previewInvoice(id, change)).rejects.toBeInstanceOf(ProcessorError);
    await expect(processor().changeSubscription(id, change, key())).rejects.toBeInstanceOf(ProcessorError);
  });

  paidIt('has a schedule whose next phase changes the plan, until that is released', async () => {
    const { id, subscription, price, dearer } = await start();
    const created = await processor().createSchedule(id, key());
    const [current] = created.phases;
    expect(current).toMatchObject({ items: [{ priceId: price.id, quantity: 2 }] });
    const { currentPeriodStart: startsAt, currentPeriodEnd: endsAt } = subscription;
    const kept = await processor().findAsPhase(id);
    expect(kept).toMatchObject({ items: [{ priceId: price.id, quantity: 2 }], discounts: [], metadata: {} });
    const phases = [
      { ...kept, startsAt, endsAt },
      { ...kept, items: [{ priceId: dearer.id, quantity: 4 }] },
    ];
    expect(await processor().previewSchedule(created.id, phases)).toMatchObject({ total: 4 * 9_900, at: endsAt });
    expect(await processor().previewInvoice(id)).toMatchObject({ total: 2 * 2_999 });
    const scheduled = await processor().setPhases(created.id, phases, { change: '1' }, key());
    expect(scheduled).toMatchObject({ status: 'active', subscriptionId: id, metadata: { change: '1' } });
    expect(scheduled.phases).toMatchObject([{ endsAt }, { startsAt: endsAt, items: [{ quantity: 4 }] }]);
    expect(await processor().findSchedule(created.id)).toEqual(scheduled);
    expect(await processor().findSubscription(id)).toMatchObject({ scheduleId: created.id, schedule: scheduled });
    expect(await processor().previewInvoice(id)).toMatchObject({ total: 4 * 9_900 });
    expect(await processor().releaseSchedule(created.id, key())).toMatchObject({ status: 'released' });
    expect(await processor().previewInvoice(id)).toMatchObject({ total: 2 * 2_999 });
  });
}
