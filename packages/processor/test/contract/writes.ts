import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isUsedOtherwise } from '../../src/errors.ts';
import type { Cases } from './cases.ts';

/** Tests idempotency keys, which work the same for every write. */
export function writeCases({ processor, key }: Cases): void {
  it('is done once when it is repeated under its key', async () => {
    const customer = { email: `${randomUUID()}@example.com`, metadata: {} };
    const sameKey = key();
    const first = await processor().createCustomer(customer, sameKey);
    expect(await processor().createCustomer(customer, sameKey)).toEqual(first);
    expect(await processor().listCustomersByEmail(customer.email)).toHaveLength(1);
  });

  it('is done once when it is sent twenty times at once under its key', async () => {
    const customer = { email: `${randomUUID()}@example.com`, metadata: {} };
    const sameKey = key();
    const tries = Array.from({ length: 20 }, () => processor().createCustomer(customer, sameKey));
    const ids = (await Promise.all(tries)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    expect(await processor().listCustomersByEmail(customer.email)).toHaveLength(1);
  });

  it('is rejected under the key of another write', async () => {
    const sameKey = key();
    await processor().createProduct({ name: 'One', metadata: {} }, sameKey);
    const other = processor().createProduct({ name: 'Two', metadata: {} }, sameKey);
    await expect(other).rejects.toSatisfy(isUsedOtherwise);
  });
}
