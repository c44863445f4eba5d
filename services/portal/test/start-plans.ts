import type { SubscriptionId } from '@billing/contracts/ids';
import { expect } from 'vitest';
import { aSubscription, item } from './billing-samples.ts';
import { aPrice } from './catalog-samples.ts';
import { startService, type Service } from './start-service.ts';

/** Starts a portal that offers the plans Pro and Team, and up to five of them, to a customer with three of Pro. */
export async function startPlans(changes: { planSwitch?: object } = {}) {
  const service = await startService();
  const { price: pro } = aPrice(service, { processorPriceId: 'price_1' });
  const { price: team, product } = aPrice(service, { processorPriceId: 'price_2', unitAmount: 4_999 }, 'Team');
  const proPrice = { price: pro, product: { ...product, name: 'Pro' } };
  service.otherServices.prices.push(proPrice, { price: team, product });
  const subscription = aSubscription(service, { items: [{ ...item, priceId: pro.id, quantity: 3 }], priceId: pro.id });
  service.otherServices.subscriptions.push(subscription);
  const { token } = await service.createLink();
  const planSwitch = { enabled: true, priceIds: [pro.id, team.id], ...changes.planSwitch };
  await setConfig(service, { planSwitch, quantity: { enabled: true, max: 5 } });
  return {
    service,
    subscription,
    token,
    pro,
    team,
    set: (config: object) => setConfig(service, config),
    call: (
      method: 'POST' | 'DELETE',
      path: string,
      payload: object = {},
      headers: Record<string, string> = {},
      id: SubscriptionId = subscription.id,
    ) =>
      service.app.inject({
        method,
        url: `/api/portal/${token}/subscriptions/${id}/${path}`,
        headers: { ...service.identity.anonymous(), ...headers },
        ...(method === 'POST' && { payload }),
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function setConfig(service: Service, body: object): Promise<void> {
  const { scope } = service;
  const path = `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/portal-config`;
  expect((await service.call('PUT', path, { body })).status).toBe(200);
}
