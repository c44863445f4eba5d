import { expect, it } from 'vitest';
import type { Cases } from './cases.ts';

/** Tests the lists of the account's objects. */
export function listedObjectCases({ paidIt, processor, key, createCustomer, createPrice, subscribe }: Cases): void {
  it('are listed newest first, with the time of the read', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const { id } = await createCustomer();
    const { objects, readAt } = await processor().listObjects('customer');
    expect(objects[0]).toMatchObject({ id, object: 'customer' });
    // The clocks may differ, and the time is rounded down.
    expect(Math.abs(readAt.getTime() - before)).toBeLessThan(60_000);
    expect(readAt.getTime() % 1_000).toBe(0);
    const next = await processor().listObjects('customer', id);
    expect(next.objects.map(object => object.id)).not.toContain(id);
  });

  it('are listed with inactive products and prices', async () => {
    const price = await createPrice({ interval: 'month', intervalCount: 1 });
    await processor().updatePrice(price.id, { isActive: false }, key());
    await processor().updateProduct(price.productId, { isActive: false }, key());
    expect((await processor().listObjects('price')).objects[0]).toMatchObject({ id: price.id, active: false });
    expect((await processor().listObjects('product')).objects[0]).toMatchObject({ id: price.productId, active: false });
  });

  paidIt('are listed with ended subscriptions, and their invoices', async () => {
    const { subscription } = await subscribe();
    await processor().cancelSubscription(subscription.id, key());
    const { objects } = await processor().listObjects('subscription');
    expect(objects[0]).toMatchObject({ id: subscription.id, status: 'canceled' });
    const invoices = await processor().listObjects('invoice');
    expect(JSON.stringify(invoices.objects[0])).toContain(subscription.id);
  });

  it('are found again by their ids, and null without one', async () => {
    const { id } = await createCustomer();
    expect((await processor().findListed('customer', id)).object).toMatchObject({ id, object: 'customer' });
    expect((await processor().findListed('customer', 'cus_none')).object).toBeNull();
  });

  it('get more metadata and keep what they had', async () => {
    const { id } = await createCustomer({ a: '1' });
    await processor().addMetadata('customer', id, { b: '2' }, key());
    expect((await processor().findListed('customer', id)).object).toMatchObject({ metadata: { a: '1', b: '2' } });
  });
}
