import { randomUUID } from 'node:crypto';
import type { Operation } from '@billing/contracts/operation';
import { newDeadLetter } from '../failed-events.ts';
import { newCustomer, newEmail, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../tenant.ts';
import { ok } from '../http.ts';
import { newOpenInvoice, newPayment, newPromotionCode } from '../billing-records.ts';
import { newResources } from '../operations/resources.ts';
import { newWebhookEndpoint } from '../webhook-records.ts';

/** A tenant with one resource of each kind, so that requests can name existing resources. */
export interface Fixtures {
  readonly tenant: Tenant;
  readonly secret: string;
  readonly cookie: string;
  readonly webhookSecret: string;
  /** Stripe events of the tenant's account. */
  readonly events: readonly object[];
  /** Returns values for a path parameter. Methods that change a resource get spare ones. */
  values(parameter: string, method: Operation['method']): readonly string[];
  /** Replaces ids, codes and e-mail addresses in an example by the tenant's own; e-mail addresses become unique. */
  fill(example: unknown, unique: string): unknown;
}

/** What path parameters may name: `lasting` for every request, `spare` ones for those that delete or archive. */
interface Named {
  readonly lasting: Readonly<Record<string, string>>;
  readonly spare: Readonly<Record<string, readonly string[]>>;
  /** Customers for bodies of requests. */
  readonly customers: readonly string[];
}

/** Creates a tenant for requests to its team and for webhooks, with events of several kinds. */
export async function createTeamFixtures(): Promise<Fixtures> {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  await newSubscription(tenant, priceId);
  await newOpenInvoice(tenant, priceId);
  await newPromotionCode(tenant);
  const invitation = await inviteSomeone(tenant);
  const spare = { deadLetterId: [await newDeadLetter(tenant)], invitationId: [invitation.id] };
  return openFixtures(tenant, { lasting: await findTeamNames(tenant), spare, customers: [] });
}

/** Creates a tenant for requests to its project, with so many spare ones of the resources that are deleted or archived. */
export async function createFixtures(spareCount: number): Promise<Fixtures> {
  const tenant = await newTenant();
  const { billing, user, P } = tenant;
  const { externalCustomerId: externalId, ...resources } = await newResources(tenant);
  const { priceId, customerId } = resources;
  const createSpares = <Made>(create: () => Promise<Made>) => Promise.all(Array.from({ length: spareCount }, create));
  const customers = await createSpares(() => newCustomer(tenant));
  const spare = {
    productId: await createSpares(async () => (await newMonthlyPrice(tenant)).productId),
    priceId: await createSpares(async () => (await newMonthlyPrice(tenant)).priceId),
    customerId: await createSpares(() => newCustomer(tenant)),
    code: await createSpares(
      async () => (await billing.referrals.createCode({ customerId: await newCustomer(tenant) })).code,
    ),
    keyId: await createSpares(
      async () => (await ok(user.post(`${P}/api-keys`, { name: 'x', scopes: ['products:read'] }), 201)).apiKey.id,
    ),
    subscriptionId: [(await newSubscription(tenant, priceId)).id, (await newSubscription(tenant, priceId)).id],
    invoiceId: [await newOpenInvoice(tenant, priceId), await newOpenInvoice(tenant, priceId)],
    paymentId: [await newPayment(tenant, priceId), await newPayment(tenant, priceId)],
    webhookEndpointId: await createSpares(() => newWebhookEndpoint(tenant)),
    couponId: await createSpares(async () => (await newPromotionCode(tenant)).couponId),
    promotionCodeId: await createSpares(async () => (await newPromotionCode(tenant)).id),
    sessionId: await createSpares(async () => (await billing.portal.create({ customerId })).sessionId),
  };
  const lasting = { ...resources, ...(await findTeamNames(tenant)), externalId, wayBackId: randomUUID() };
  return openFixtures(tenant, { lasting, spare, customers });
}

/** What requests to a team may name. */
async function findTeamNames(tenant: Tenant) {
  const { user, teamId, teamPath, projectId } = tenant;
  const { members } = await ok(user.get(`${teamPath}/members`));
  const { data: events } = await tenant.callProcessor('/v1/events?limit=1');
  return {
    teamId,
    projectId,
    invitationToken: (await inviteSomeone(tenant)).url.split('token=')[1] as string,
    userId: members[0].userId as string,
    eventId: events[0].id as string,
    deadLetterId: await newDeadLetter(tenant),
  };
}

const inviteSomeone = async ({ user, teamPath }: Tenant) =>
  (await ok(user.post(`${teamPath}/members`, { email: newEmail(), role: 'member' }), 202)).invitation;

async function openFixtures(tenant: Tenant, { lasting, spare, customers }: Named): Promise<Fixtures> {
  const { data: events } = await tenant.callProcessor('/v1/events?limit=100');

  function replacementFor(text: string, unique: string): string {
    if (/@/.test(text)) return `${unique}@example.com`;
    if (/^[\dA-Z]{8}$/.test(text)) return lasting['code'] ?? text;
    switch (/^([a-z]+)_/.exec(text)?.[1] ?? '') {
      case 'pc':
        return customers[Number.parseInt(unique.slice(0, 4), 16) % customers.length] ?? text;
      case 'pp':
        return lasting['productId'] ?? text;
      case 'pri':
        return lasting['priceId'] ?? text;
      case 'ps':
        return lasting['subscriptionId'] ?? text;
      case 'pinv':
        return lasting['invoiceId'] ?? text;
      case 'pay':
        return lasting['paymentId'] ?? text;
      case 'prc':
        return lasting['promotionCodeId'] ?? text;
      case 'cpn':
        return lasting['couponId'] ?? text;
      case 'ev':
        return lasting['publicEventId'] ?? text;
      case 'sk':
        return `sk_test_${unique.replaceAll('-', '')}`;
      default:
        return text;
    }
  }

  const fill = (example: unknown, unique: string): unknown => {
    if (typeof example === 'string') return replacementFor(example, unique);
    if (typeof example !== 'object' || example === null) return example;
    if (Array.isArray(example)) return example.map(it => fill(it, unique));
    return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, fill(value, unique)]));
  };

  return {
    tenant,
    secret: tenant.secret,
    cookie: tenant.user.cookie,
    webhookSecret: tenant.webhookSecret,
    events,
    values(parameter, method) {
      const values = lasting[parameter] === undefined ? [] : [lasting[parameter]];
      const spares = spare[parameter];
      if (method === 'GET') return [...values, ...(spares ?? [])];
      return spares ?? values;
    },
    fill,
  };
}
