import type { HostedCheckout } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, it } from 'vitest';
import { newGivenFeature } from '../system/billing-records.ts';
import { ok } from '../system/http.ts';
import {
  newCheckout,
  newCustomer,
  newMonthlyPrice,
  newSiblingProject,
  newTenant,
  type Tenant,
} from '../system/tenant.ts';
import { seenBy } from '../system/operations/requests.ts';

type Prices = Awaited<ReturnType<typeof newMonthlyPrice>>;

let tenant: Tenant;
let stranger: Tenant;
let prices: Prices;
let foreignPrices: Prices;
beforeAll(async () => {
  [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  [prices, foreignPrices] = await Promise.all([newMonthlyPrice(tenant), newMonthlyPrice(stranger)]);
});

/** A customer who has a grant, and its state as it is read. */
async function newEntitled(of: Tenant = tenant, given = prices) {
  const customerId = await newCustomer(of);
  const { featureKey } = await newGivenFeature(of, { ...given, customerId });
  const path = `${of.P}/customers/${customerId}/state`;
  const read = (tag?: string) => of.api.send('GET', path, undefined, tag === undefined ? {} : { 'if-none-match': tag });
  return { customerId, featureKey, path, read };
}

const tagOf = ({ headers }: { readonly headers: Headers }): string => headers.get('etag') ?? '';

describe.concurrent('a state that was read before', () => {
  it('S52: the tag of another customer, project or team confirms nothing', async () => {
    const sibling = await newSiblingProject(tenant);
    const [own, ...others] = await Promise.all([
      newEntitled(),
      newEntitled(),
      newEntitled(sibling, await newMonthlyPrice(sibling)),
      newEntitled(stranger, foreignPrices),
    ]);
    expect(own.featureKey).not.toBe('');
    const tag = tagOf(await own.read());
    expect((await own.read(tag)).status).toBe(304);
    for (const other of others) {
      const foreign = tagOf(await other.read());
      expect(foreign).not.toBe(tag);
      expect(await own.read(foreign)).toMatchObject({
        status: 200,
        body: { state: { customer: { id: own.customerId } } },
      });
    }
  });

  it('S52: its tag is of no use once a grant has expired, was taken back, or the customer is deleted', async () => {
    const { customerId, featureKey, read } = await newEntitled();
    const { billing } = tenant;
    const has = async () => featureKey in (await ok(read())).state.entitlements;
    const tags = [tagOf(await read())];
    const expiresAt = new Date(Date.now() + 3_000);
    await billing.grants.set(customerId, featureKey, { value: 7, expiresAt });
    await waitFor(async () => (await ok(read())).state.entitlements[featureKey]?.until !== null, { what: 'the end' });
    tags.push(tagOf(await read()));
    await waitFor(async () => !(await has()), { what: 'the grant to expire by time alone' });
    for (const tag of tags) expect((await ok(read(tag))).state.entitlements).not.toHaveProperty([featureKey]);

    await billing.grants.set(customerId, featureKey, { value: 7 });
    await waitFor(has, { what: 'the grant to count again' });
    const again = tagOf(await read());
    await billing.grants.remove(customerId, featureKey);
    await waitFor(async () => !(await has()), { what: 'the grant to be gone' });
    expect((await ok(read(again))).state.entitlements).not.toHaveProperty([featureKey]);

    const last = tagOf(await read());
    await billing.customers.delete(customerId);
    const refused = await waitFor(
      async () => {
        const response = await read(last);
        return response.status === 404 ? response : undefined;
      },
      { what: 'the deletion to be known' },
    );
    expect(refused.body.error.code).toBe('customer_not_found');
    expect(refused.headers.get('etag')).toBeNull();
  });
});

describe.concurrent('a checkout of someone else', () => {
  it('S52: its session shows nothing of it, and takes in nothing, byte for byte like one that never was', async () => {
    const sessionOf = async (of: Tenant, priceId: string): Promise<HostedCheckout> =>
      newCheckout(of, await newCustomer(of), priceId);
    const [{ customerId, path }, ofTeam, ofStranger] = await Promise.all([
      newEntitled(),
      sessionOf(tenant, prices.priceId),
      sessionOf(stranger, foreignPrices.priceId),
    ]);
    const seen = (id: string) => seenBy(tenant.api, { method: 'GET', path: `${path}?checkoutSession=${id}` });
    const unknown = await seen(`cs_test_${'0'.repeat(24)}`);
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'checkout_session_not_found' } } });
    for (const { sessionId } of [ofTeam, ofStranger]) expect(await seen(sessionId)).toEqual(unknown);
    expect((await ok(tenant.api.get(path))).state).toMatchObject({
      customer: { id: customerId },
      pendingCheckouts: [],
    });
  });
});
