import { randomBytes } from 'node:crypto';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { runs } from '@billing/testing/runs';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { ok, type ApiResponse } from '../system/http.ts';
import { newEmail, newTenant, payOnHostedPage, type Tenant } from '../system/tenant.ts';

const newKey = (mode: 'test' | 'live') => `sk_${mode}_${randomBytes(12).toString('hex')}`;

/** Calls an account at the processor, as its owner does in the Dashboard. */
const callAccount = (secretKey: string, path: string, form?: Readonly<Record<string, string>>) =>
  fetch(`${inject('processorUrl')}${path}`, {
    headers: { authorization: `Bearer ${secretKey}` },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });

/** What a team does; each takes a number that chooses between accounts. */
const actionsOf = ({ user, P, teamPath, teamId, projectId }: Tenant, keys: readonly string[]) => {
  const keyOf = (place: number): string => keys[place % keys.length] ?? '';
  const create = async (path: string, body: object): Promise<ApiResponse> => user.post(`${P}/${path}`, body);
  const newPrice = async (): Promise<string | undefined> => {
    const { body } = await create('products', { name: 'Pro' });
    const price = { productId: body.product?.id, unitAmount: 500, currency: 'usd', interval: 'month' };
    return body.product && (await create('prices', price)).body.price?.id;
  };
  const buy = async (): Promise<void> => {
    const [{ body: made }, priceId] = [await create('customers', { email: newEmail() }), await newPrice()];
    if (!made.customer || !priceId) return;
    const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
    const { body } = await create('checkout', { customerId: made.customer.id, priceId, ...urls });
    if (body.url) await payOnHostedPage(body.url);
  };
  const change = async (): Promise<void> => {
    const { body } = await user.get(`${P}/subscriptions`);
    const [subscription] = body.subscriptions ?? [];
    if (subscription) await create(`subscriptions/${subscription.id}/change`, { quantity: 2 });
  };
  return {
    customer: () => create('customers', { email: newEmail() }),
    price: newPrice,
    buy,
    change,
    event: (place: number) =>
      callAccount(keyOf(place), '/v1/products', {
        name: 'Event',
        'metadata[teamId]': teamId,
        'metadata[projectId]': projectId,
      }),
    slow: (place: number) =>
      new LocalProcessorControl(inject('processorUrl'), keyOf(place)).fail({
        mode: 'slow',
        method: 'POST',
        path: '/v1/',
        delayMs: 400,
        times: 2,
      }),
    connect: (place: number) => user.post(`${teamPath}/processor/connect`, { secretKey: keyOf(place) }),
    disconnect: () => user.delete(`${teamPath}/processor`),
    purge: () => user.send('DELETE', `${teamPath}/processor?purge=true`, { confirm: 'Acme' }),
  };
};

type Action = keyof ReturnType<typeof actionsOf>;

/** The accounts that have what the project shows, as places in `keys`; -1 for what none has. */
async function accountsOf({ user, P }: Tenant, keys: readonly string[]): Promise<ReadonlySet<number>> {
  const lists = [
    ['customers', 'customers', 'processorCustomerId', 'customers'],
    ['products?activeOnly=false', 'products', 'processorProductId', 'products'],
    ['prices?activeOnly=false', 'prices', 'processorPriceId', 'prices'],
    ['subscriptions?activeOnly=false', 'subscriptions', 'processorSubscriptionId', 'subscriptions'],
    ['invoices', 'invoices', 'processorInvoiceId', 'invoices'],
  ] as const;
  const found = new Set<number>();
  for (const [path, name, property, atProcessor] of lists)
    for (const record of (await ok(user.get(`${P}/${path}`)))[name]) {
      const responses = await Promise.all(keys.map(key => callAccount(key, `/v1/${atProcessor}/${record[property]}`)));
      found.add(responses.findIndex(({ status }) => status === 200));
    }
  return found;
}

const step = fc.record({
  action: fc.constantFrom<Action>(
    'customer',
    'price',
    'buy',
    'change',
    'event',
    'slow',
    'connect',
    'connect',
    'disconnect',
    'purge',
  ),
  place: fc.nat(2),
  /** Whether it begins only once everything before has ended. */
  waits: fc.boolean(),
});

interface Step {
  readonly action: Action;
  readonly place: number;
  readonly waits: boolean;
}

it('never has records of two accounts or modes, however connects and purges overlap with writes and events', async () => {
  const history = async (steps: readonly Step[]) => {
    const tenant = await newTenant();
    const keys = [tenant.secretKey, newKey('test'), newKey('live')];
    const actions = actionsOf(tenant, keys);
    const running: Promise<unknown>[] = [];
    for (const { action, place, waits } of steps) {
      if (waits) await Promise.all(running.splice(0));
      running.push(actions[action](place));
    }
    await Promise.all(running);
    await Promise.all(keys.map(key => new LocalProcessorControl(inject('processorUrl'), key).clearFaults()));
    const isQuiet = async () => {
      const { isPurging } = await ok(tenant.user.get(`${tenant.teamPath}/processor`));
      const { pagination } = await ok(tenant.user.get(`${tenant.teamPath}/webhook-events?status=received`));
      return !isPurging && pagination.total === 0;
    };
    await waitFor(isQuiet, { what: 'purges and events to end', timeoutMs: 60_000 });
    const accounts = await accountsOf(tenant, keys);
    expect(accounts.size).toBeLessThanOrEqual(1);
    // No other account takes the place of the one that the records are of.
    const connected: number[] = [];
    for (const [place, secretKey] of keys.entries()) {
      const { status } = await tenant.user.post(`${tenant.teamPath}/processor/connect`, { secretKey });
      if (status === 200) connected.push(place);
    }
    expect(accounts.size === 0 || connected.every(place => accounts.has(place))).toBe(true);
  };
  const begin = (action: Action, place = 0, waits = false) => ({ action, place, waits });
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), history), {
    numRuns: runs(12),
    endOnFailure: true,
    examples: [
      [
        [
          begin('slow'),
          begin('customer', 0, true),
          begin('connect', 1),
          begin('connect', 2),
          begin('customer'),
          begin('price'),
        ],
      ],
      [
        [
          begin('buy'),
          begin('purge', 0, true),
          begin('customer'),
          begin('event'),
          begin('connect', 1),
          begin('connect', 1, true),
          begin('buy'),
        ],
      ],
    ],
  });
});
