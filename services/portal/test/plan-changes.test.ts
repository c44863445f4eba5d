import { expect, it } from 'vitest';
import { PriceId, SubscriptionId } from '@billing/contracts/ids';
import { Problem, unprocessable } from '@billing/contracts/problem';
import { aPrice } from './catalog-samples.ts';
import { startPlans } from './start-plans.ts';

it('previews and makes what is offered, as the project has set', async () => {
  await using plans = await startPlans({ planSwitch: { when: 'now', proration: 'create_prorations' } });
  const { service, subscription, team } = plans;
  const preview = await plans.call('POST', 'change/preview', { priceId: team.id });
  expect(preview.statusCode).toBe(200);
  expect(preview.json()).toMatchObject({ preview: { amountDue: 3_000, exact: true } });
  const { prorationDate, amountDue: expectedAmountDue } = preview.json<Previewed>().preview;
  const body = { priceId: team.id, prorationDate, expectedAmountDue };
  const changed = await plans.call('POST', 'change', body, { 'idempotency-key': 'once' });
  expect(changed.statusCode).toBe(200);
  expect(changed.json()).toMatchObject({ change: { status: 'applied' }, subscription: { id: subscription.id } });
  expect(changed.body).not.toContain('metadata');

  const repeated = await plans.call('POST', 'change', body, { 'idempotency-key': 'once' });
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  const { previews, changes } = service.otherServices;
  const plan = { priceId: team.id, quantity: 3, when: 'now', proration: 'create_prorations' };
  const audit = { actor: { type: 'customer', id: service.customerId }, action: 'changePortalPlan' };
  const of = { ...service.scope, customerId: service.customerId, subscriptionId: subscription.id };
  expect(previews).toMatchObject([{ ...of, plan }]);
  const pinned = { prorationDate: new Date(prorationDate), expectedAmountDue };
  expect(changes.map(({ request }) => request)).toMatchObject([{ ...of, plan: { ...plan, ...pinned }, audit }]);
});

it('takes the key of an offered price in place of its id', async () => {
  await using plans = await startPlans();
  const { prices, changes, previews } = plans.service.otherServices;
  const offered = prices.find(({ price }) => price.id === plans.team.id);
  if (offered) offered.price = { ...offered.price, key: 'team_monthly' };
  const byKey = { priceKey: 'team_monthly' };
  expect((await plans.call('POST', 'change/preview', byKey)).statusCode).toBe(200);
  expect((await plans.call('POST', 'change', byKey)).statusCode).toBe(200);
  const plan = { priceId: plans.team.id };
  expect([previews, changes.map(({ request }) => request)]).toMatchObject([[{ plan }], [{ plan }]]);
  expect((await plans.call('POST', 'change', { priceKey: 'none' })).statusCode).toBe(404);
  expect((await plans.call('POST', 'change', { ...byKey, ...plan })).statusCode).toBe(400);
});

it('sends no proration for a change at the end of the period', async () => {
  await using plans = await startPlans({ planSwitch: { when: 'period_end' } });
  plans.service.otherServices.changeStatus = 'scheduled';
  const { statusCode, body } = await plans.call('POST', 'change', { priceId: plans.team.id, quantity: 4 });
  expect([statusCode, JSON.parse(body)]).toMatchObject([200, { change: { status: 'scheduled' } }]);
  const [made] = plans.service.otherServices.changes;
  expect(made?.request.plan).toEqual({ priceId: plans.team.id, quantity: 4, when: 'period_end' });

  expect((await plans.call('DELETE', 'change')).json()).toMatchObject({ subscription: { scheduledChange: null } });
  const gone = await plans.call('DELETE', 'change');
  expect([gone.statusCode, gone.json()]).toMatchObject([404, { error: { code: 'change_not_found' } }]);
});

it('responds with 202 for a change that waits for its payment', async () => {
  await using plans = await startPlans();
  plans.service.otherServices.changeStatus = 'pending_payment';
  const { statusCode, body } = await plans.call('POST', 'change', { quantity: 4 });
  expect(statusCode).toBe(202);
  expect(JSON.parse(body)).toMatchObject({ subscription: { pendingChange: { hostedInvoiceUrl: expect.any(String) } } });
});

it('refuses what is not offered, before anything is previewed or made', async () => {
  await using plans = await startPlans();
  const { previews, changes, prices } = plans.service.otherServices;
  const eur = aPrice(plans.service, { currency: 'eur' });
  prices.push(eur);
  const wanted = [{ priceId: PriceId.create() }, { priceId: eur.price.id }, { quantity: 6 }];
  for (const body of wanted)
    for (const path of ['change/preview', 'change']) {
      const response = await plans.call('POST', path, body);
      expect([response.statusCode, response.json()]).toMatchObject([422, { error: { code: 'price_not_offered' } }]);
    }
  await plans.service.configure({});
  expect((await plans.call('POST', 'change', { quantity: 4 })).json()).toMatchObject({
    error: { code: 'price_not_offered' },
  });
  expect([previews, changes]).toEqual([[], []]);
});

it('passes on why a change is not made, and finds no subscription of others', async () => {
  await using plans = await startPlans();
  const details = { expected: 3_000, actual: 3_001 };
  plans.service.otherServices.refusal = new Problem('conflict', 'amount_changed', 'It costs more.', { details });
  const changed = await plans.call('POST', 'change', { quantity: 4, expectedAmountDue: 3_000 });
  expect([changed.statusCode, changed.json()]).toMatchObject([409, { error: { code: 'amount_changed', details } }]);
  plans.service.otherServices.refusal = unprocessable('payment_failed', 'Declined.');
  expect((await plans.call('POST', 'change', { quantity: 4 })).statusCode).toBe(422);
  plans.service.otherServices.refusal = null;
  const id = SubscriptionId.create();
  for (const [method, path] of [
    ['POST', 'change/preview'],
    ['POST', 'change'],
    ['DELETE', 'change'],
  ] as const) {
    const response = await plans.call(method, path, { quantity: 4 }, {}, id);
    expect([response.statusCode, response.json()]).toMatchObject([404, { error: { code: 'subscription_not_found' } }]);
  }
});

interface Previewed {
  readonly preview: { readonly prorationDate: string; readonly amountDue: number };
}
