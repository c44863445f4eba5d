import type { SubscriptionId } from '@billing/contracts/ids';
import { aSubscription, item } from './billing-samples.ts';
import { aPrice } from './catalog-samples.ts';
import { textOf } from './page-text.ts';
import { startService } from './start-service.ts';

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
  await service.configure({ planSwitch, quantity: { enabled: true, max: 5 } });
  const at = `/subscriptions/${subscription.id}/change`;
  return {
    service,
    subscription,
    token,
    pro,
    team,
    /** The path of the page on which the subscription is changed. */
    at,
    /** The text of the page with the subscription's card. */
    card: async () => textOf((await service.visit(token)).body),
    /** Opens the page with the amounts of a choice; returns the fields of its form. */
    review: async (choice: { priceId?: string; quantity?: number }) => {
      const given = Object.entries(choice).map(([name, value]) => [name, String(value)]);
      const query = new URLSearchParams(given).toString();
      return fieldsOf((await service.visit(token, `${at}/preview?${query}`)).body);
    },
    /** Calls the API of the page's script. */
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

/** Returns the hidden fields of a page's form. */
export function fieldsOf(body: string): Record<string, string> {
  const inputs = body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(inputs, ([, name = '', value = '']) => [name, value]));
}
