import { randomUUID } from 'node:crypto';
import type { Operation } from '@billing/contracts/operation';
import { newCustomer, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../tenant.ts';
import { ok } from '../http.ts';

/** A company with something of everything, for requests that name what there is. */
export interface World {
  readonly tenant: Tenant;
  readonly secret: string;
  readonly cookie: string;
  readonly webhookSecret: string;
  /** What the processor said so far. */
  readonly events: readonly object[];
  /** What may stand in a path for a parameter; what the method would spoil is there to be spoiled. */
  values(parameter: string, method: Operation['method']): readonly string[];
  /** An example's ids, codes and addresses put in place: those of this company, and an e-mail address of its own. */
  fill(example: unknown, unique: string): unknown;
}

const SPARE = 8;

export async function openWorld(): Promise<World> {
  const tenant = await newTenant();
  const { billing, user, P, teamPath, webhookSecret } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const several = <Made>(make: () => Promise<Made>) => Promise.all(Array.from({ length: SPARE }, make));
  const subscription = await newSubscription(tenant, priceId);
  const doomed = [await newSubscription(tenant, priceId), await newSubscription(tenant, priceId)];
  const customers = await several(() => newCustomer(tenant));
  const spare = {
    productId: await several(async () => (await newMonthlyPrice(tenant)).productId),
    priceId: await several(async () => (await newMonthlyPrice(tenant)).priceId),
    customerId: await several(() => newCustomer(tenant)),
    code: await several(
      async () => (await billing.referrals.createCode({ customerId: await newCustomer(tenant) })).code,
    ),
    keyId: await several(
      async () => (await ok(user.post(`${P}/api-keys`, { name: 'x', scopes: ['products:read'] }), 201)).apiKey.id,
    ),
    subscriptionId: doomed.map(({ id }) => id),
    sessionId: await several(
      async () => (await billing.portal.create({ customerId: subscription.customerId })).sessionId,
    ),
  };
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 });
  const { code } = await billing.referrals.createCode({ customerId: subscription.customerId });
  const { token } = await billing.portal.create({ customerId: subscription.customerId });
  const { members } = await ok(user.get(`${teamPath}/members`));
  const { data: events } = await tenant.askProcessor('/v1/events?limit=100');

  const kept: Record<string, string> = {
    teamId: tenant.teamId,
    projectId: tenant.projectId,
    productId,
    priceId,
    customerId: subscription.customerId,
    subscriptionId: subscription.id,
    code,
    token,
    userId: members[0].userId,
    eventId: events[0].id,
    wayBackId: randomUUID(),
  };

  function filled(text: string, unique: string): string {
    const anyOf = (all: readonly string[]) => all[Number.parseInt(unique.slice(0, 4), 16) % all.length] ?? '';
    if (/@/.test(text)) return `${unique}@example.com`;
    if (/^[\dA-Z]{8}$/.test(text)) return code;
    switch (/^([a-z]+)_/.exec(text)?.[1] ?? '') {
      case 'pc':
        return anyOf(customers);
      case 'pp':
        return productId;
      case 'pri':
        return priceId;
      case 'ps':
        return subscription.id;
      case 'sk':
        return `sk_test_${unique.replaceAll('-', '')}`;
      default:
        return text;
    }
  }

  const fill = (example: unknown, unique: string): unknown => {
    if (typeof example === 'string') return filled(example, unique);
    if (typeof example !== 'object' || example === null) return example;
    if (Array.isArray(example)) return example.map(it => fill(it, unique));
    return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, fill(value, unique)]));
  };

  return {
    tenant,
    secret: tenant.secret,
    cookie: user.cookie,
    webhookSecret,
    events,
    values(parameter, method) {
      const known = kept[parameter] === undefined ? [] : [kept[parameter]];
      const spoiled = (spare as Record<string, readonly string[]>)[parameter];
      if (method === 'GET') return [...known, ...(spoiled ?? [])];
      return spoiled ?? known;
    },
    fill,
  };
}
