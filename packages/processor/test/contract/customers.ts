import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isMissing } from '../../src/errors.ts';
import type { Cases } from './cases.ts';

/** Tests customers and their balances. */
export function customerCases({ processor, key, createCustomer }: Cases): void {
  it('is found by id and by e-mail, newest first', async () => {
    const email = `${randomUUID()}@example.com`;
    const first = await processor().createCustomer({ email, name: 'Ada', metadata: { projectId: 'proj_1' } }, key());
    const second = await processor().createCustomer({ email, metadata: {} }, key());
    expect(first).toMatchObject({ deleted: false, email, name: 'Ada', metadata: { projectId: 'proj_1' } });
    expect(second).toMatchObject({ name: null, defaultPaymentMethodId: null });
    expect(await processor().findCustomer(first.id)).toEqual(first);
    expect((await processor().listCustomersByEmail(email)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await processor().listCustomersByEmail(email.toUpperCase())).toEqual([]);
  });

  it('merges metadata, and removes keys with an empty value', async () => {
    const { id } = await createCustomer({ kept: '1', gone: '2' });
    const updated = await processor().updateCustomer(id, { name: 'Eve', metadata: { gone: '', fresh: '3' } }, key());
    expect(updated.metadata).toEqual({ kept: '1', fresh: '3' });
    expect(updated.name).toBe('Eve');
  });

  it('is missing when it does not exist', async () => {
    await expect(processor().findCustomer('cus_none')).rejects.toSatisfy(isMissing);
    await expect(processor().updateCustomer('cus_none', { name: 'x' }, key())).rejects.toSatisfy(isMissing);
  });

  it('gets a credit on its balance', async () => {
    const { id } = await createCustomer();
    const credit = { amount: -500, currency: 'usd', description: 'Referral', metadata: { referralId: 'ref_1' } };
    const transaction = await processor().createBalanceTransaction(id, credit, key());
    expect(transaction.id).toMatch(/./);
    expect(await processor().findCustomer(id)).toMatchObject({ balance: { credit: 500, currency: 'usd' } });
  });

  it('has its credit found by metadata, on later pages, since a time', async () => {
    const { id } = await createCustomer();
    const since = new Date();
    const credit = (metadata: Record<string, string>) => {
      const transaction = { amount: -1, currency: 'usd', description: 'Referral', metadata };
      return processor().createBalanceTransaction(id, transaction, key());
    };
    const wanted = await credit({ referralId: 'ref_1', side: 'referrer', more: '1' });
    for (let count = 0; count < 100; count += 1) await credit({ referralId: 'ref_1', side: 'referee' });
    const metadata = { referralId: 'ref_1', side: 'referrer' };
    expect(await processor().findCreatedBalanceTransaction(id, { metadata, since })).toEqual(wanted);
    const other = { ...metadata, referralId: 'ref_2' };
    expect(await processor().findCreatedBalanceTransaction(id, { metadata: other, since })).toBeNull();
    const inTwoDays = new Date(Date.now() + 48 * 3_600_000);
    expect(await processor().findCreatedBalanceTransaction(id, { metadata, since: inTwoDays })).toBeNull();
    const missing = processor().findCreatedBalanceTransaction('cus_none', { metadata, since });
    await expect(missing).rejects.toSatisfy(isMissing);
  });

  it('has no payment method without a card', async () => {
    const { id } = await createCustomer();
    const none = { customerDefault: null, ofSubscriptions: new Map(), byInvoice: new Set() };
    expect(await processor().findPaymentMethods(id)).toEqual(none);
  });
}
