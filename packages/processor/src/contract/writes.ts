import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isUsedOtherwise } from '../errors.ts';
import type { Cases } from './cases.ts';

/** What idempotency keys must do for every write. */
export function writeCases({ processor, key }: Cases): void {
  it('repeated under its key is done once', async () => {
    const customer = { email: `${randomUUID()}@example.com`, metadata: {} };
    const sameKey = key();
    const first = await processor().createCustomer(customer, sameKey);
    expect(await processor().createCustomer(customer, sameKey)).toEqual(first);
    expect(await processor().listCustomersByEmail(customer.email)).toHaveLength(1);
  });

  it('sent twenty times at once under its key is done once', async () => {
    const customer = { email: `${randomUUID()}@example.com`, metadata: {} };
    const sameKey = key();
    const tries = Array.from({ length: 20 }, () => processor().createCustomer(customer, sameKey));
    const ids = (await Promise.all(tries)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    expect(await processor().listCustomersByEmail(customer.email)).toHaveLength(1);
  });

  it('under the key of another one is refused', async () => {
    const sameKey = key();
    await processor().createProduct({ name: 'One', metadata: {} }, sameKey);
    const other = processor().createProduct({ name: 'Two', metadata: {} }, sameKey);
    await expect(other).rejects.toSatisfy(isUsedOtherwise);
  });
}
