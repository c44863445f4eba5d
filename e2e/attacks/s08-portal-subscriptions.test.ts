import { beforeAll, describe, expect, it } from 'vitest';
import { PriceId, SubscriptionId } from '@billing/contracts/ids';
import { Caller, ok, type ApiResponse } from '../system/http.ts';
import { newMonthlyPrice, newSiblingProject, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';

const visitor = new Caller();
let tenant: Tenant;
let token: string;
let own: string;
/** A price of the project that is not offered. */
let otherPriceId: string;
/** Subscriptions of another customer, another project and another team, and an id of none. */
let others: readonly string[];
let holders: readonly Tenant[];
beforeAll(async () => {
  const stranger = await newTenant();
  tenant = await newTenant();
  const sibling = await newSiblingProject(tenant);
  holders = [tenant, sibling, stranger];
  const subscribe = async (at: Tenant) => newSubscription(at, (await newMonthlyPrice(at)).priceId);
  const [mine, ...foreign] = await Promise.all([tenant, tenant, sibling, stranger].map(subscribe));
  if (!mine) throw new Error('A subscription is always created.');
  own = mine.id;
  others = [...foreign.map(({ id }) => id), SubscriptionId.create()];
  ({ priceId: otherPriceId } = await newMonthlyPrice(tenant));
  await ok(
    tenant.api.put(`${tenant.P}/portal-config`, { quantity: { enabled: true, max: 5 }, pause: { enabled: true } }),
  );
  ({ token } = await tenant.billing.portal.create({ customerId: mine.customerId }));
});

const patch = (id: string, body: unknown, headers = {}): Promise<ApiResponse> =>
  visitor.send('PATCH', `/api/portal/${token}/subscriptions/${id}`, body, { 'x-request-id': 'the-same', ...headers });

/** Returns every subscription of the three projects, and the writes that their processor accounts have seen. */
const stateOfAll = () =>
  Promise.all(
    holders.map(async ({ api, P, processor }) => {
      const { subscriptions } = await ok(api.get(`${P}/subscriptions?activeOnly=false`));
      const { calls } = await processor.ledger();
      return { subscriptions, writes: Object.entries(calls).filter(([call]) => !call.startsWith('GET ')) };
    }),
  );

describe('a customer in the portal', () => {
  it('S8: another customer’s subscription, of the same project, another project or another team, gets the 404 of one that does not exist', async () => {
    const before = await stateOfAll();
    const seen = await Promise.all(others.map(id => patch(id, { cancelAtPeriodEnd: true })));
    for (const { status, body } of seen) {
      expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'subscription_not_found' });
      expect(JSON.stringify(body)).toBe(JSON.stringify(seen.at(-1)?.body));
    }
    const path = `/api/portal/${token}/subscriptions`;
    const same = { 'x-request-id': 'the-same' };
    const changes = await Promise.all(
      others.flatMap(id => [
        visitor.send('POST', `${path}/${id}/change/preview`, { quantity: 2 }, same),
        visitor.send('POST', `${path}/${id}/change`, { quantity: 2 }, same),
        visitor.send('DELETE', `${path}/${id}/change`, undefined, same),
        visitor.send('POST', `${path}/${id}/save-offer`, undefined, same),
        visitor.send('POST', `${path}/${id}/pause`, {}, same),
        visitor.send('POST', `${path}/${id}/resume`, { expectedAmountDue: 9_999 }, same),
      ]),
    );
    expect(new Set(changes.map(({ body }) => JSON.stringify(body)))).toEqual(new Set([JSON.stringify(seen[0]?.body)]));
    const page = `/portal/${token}/subscriptions`;
    const pages = await Promise.all(
      others.flatMap(id => [
        visitor.get(`${page}/${id}/cancel`),
        visitor.send('POST', `${page}/${id}/cancel`),
        visitor.send('POST', `${page}/${id}/resume`),
        visitor.send('POST', `${page}/${id}/save-offer`),
        visitor.get(`${page}/${id}/change`),
        visitor.get(`${page}/${id}/change/preview?quantity=2`),
        visitor.send('POST', `${page}/${id}/change`, new URLSearchParams({ quantity: '2', expectedAmountDue: '0' })),
        visitor.send('POST', `${page}/${id}/change/drop`),
        visitor.get(`${page}/${id}/pause`),
        visitor.send('POST', `${page}/${id}/pause`),
        visitor.send('POST', `${page}/${id}/pause/end`),
      ]),
    );
    const withoutNonces = ({ body }: ApiResponse) => String(body).replaceAll(/nonce="[^"]+"/g, '');
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(pages.map(withoutNonces)).size).toBe(1);
    expect(await stateOfAll()).toEqual(before);
  });

  it('S8: of a change only what the project offers can be chosen, and nothing else be set', async () => {
    const before = await stateOfAll();
    const path = `/api/portal/${token}/subscriptions/${own}/change`;
    const more = [
      { when: 'now' },
      { proration: 'none' },
      { promotionCode: 'FREE' },
      { trial: 'end' },
      { paymentBehavior: 'error_if_incomplete' },
      { items: [{ priceId: otherPriceId }] },
      { customerId: 'x' },
    ].map(field => ({ quantity: 2, ...field }));
    const wrong = [
      { quantity: '2' },
      { quantity: 0 },
      { quantity: 1.5 },
      { priceId: 'x' },
      { prorationDate: 'x' },
      'x',
    ];
    const notOffered = [
      { priceId: otherPriceId },
      { quantity: 6 },
      { quantity: 999_999 },
      { priceId: PriceId.create() },
    ];
    for (const at of [path, `${path}/preview`]) {
      const statusOf = async (body: unknown) => (await visitor.send('POST', at, body)).status;
      expect(await Promise.all([...more, ...wrong].map(statusOf))).toEqual([...more, ...wrong].map(() => 400));
      const refused = await Promise.all(notOffered.map(body => visitor.send('POST', at, body)));
      expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
        notOffered.map(() => [422, 'price_not_offered']),
      );
    }
    expect(await stateOfAll()).toEqual(before);
  });

  it('S8: of billing details only the own ones can be changed, without tax exemption, and only where the project shows them', async () => {
    const before = await stateOfAll();
    const path = `/api/portal/${token}/billing-details`;
    const statusOf = async (body: unknown) => (await visitor.patch(path, body)).status;
    const taxId = { type: 'eu_vat', value: 'DE123456789' };
    const bodies = [
      { taxExempt: 'exempt' },
      { customerId: 'x' },
      { taxLocation: 'recognized' },
      { updatedAt: new Date() },
      { taxIds: [{ ...taxId, verification: 'verified' }] },
      { taxIds: Array.from({ length: 6 }, (_, at) => ({ ...taxId, value: `DE12345678${at}` })) },
      { invoiceFields: [{ name: 'PO number', value: '1' }] },
      { locale: '../..' },
      [],
    ];
    expect(await Promise.all(bodies.map(statusOf))).toEqual(bodies.map(() => 400));
    expect((await visitor.get(path)).body.error.code).toBe('billing_details_not_offered');
    expect(await statusOf({ businessName: 'Engines' })).toBe(404);
    expect(
      (await visitor.send('POST', `/portal/${token}/billing-details`, new URLSearchParams({ phone: '1' }))).status,
    ).toBe(404);
    expect(await stateOfAll()).toEqual(before);
  });

  it('S8: no other method does more, also not one named in a header, query or form', async () => {
    const before = await stateOfAll();
    const path = `/api/portal/${token}/subscriptions/${own}`;
    const overrides = ['x-http-method-override', 'x-http-method', 'x-method-override'];
    const responses = await Promise.all([
      ...['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND'].map(method => visitor.send(method, path)),
      ...overrides.map(name => visitor.send('POST', path, { cancelAtPeriodEnd: true }, { [name]: 'PATCH' })),
      visitor.post(`${path}?_method=DELETE`),
      visitor.send('POST', `/portal/${token}/subscriptions/${own}/delete`),
      visitor.send('DELETE', `/portal/${token}/subscriptions/${own}/cancel`),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
    expect(await stateOfAll()).toEqual(before);
  });

  it('S8: a token is no API key or session, and opens no operation of the project', async () => {
    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `portal_return=${token}` }]) {
      const caller = new Caller(headers);
      expect((await caller.get(`${tenant.P}/subscriptions`)).status).toBe(401);
      expect((await caller.delete(`${tenant.P}/subscriptions/${own}`)).status).toBe(401);
    }
  });

  it('S8: the own subscription can be cancelled and resumed, without a word of the team’s metadata', async () => {
    const { status, body } = await patch(own, { cancelAtPeriodEnd: true });
    expect({ status, subscription: body.subscription }).toMatchObject({
      status: 200,
      subscription: { id: own, cancelAtPeriodEnd: true },
    });
    expect(body.subscription).not.toHaveProperty('metadata');
    expect((await patch(own, { cancelAtPeriodEnd: false })).body.subscription.cancelAtPeriodEnd).toBe(false);
  });
});
