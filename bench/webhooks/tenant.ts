import { randomBytes } from 'node:crypto';
import { BillingClient } from '@billing/client';
import type { Shop } from './subscription-events.ts';

/** A team with a project and a connected processor. */
export interface Tenant {
  readonly teamId: string;
  readonly projectId: string;
  readonly webhookSecret: string;
  /** The team's key to the processor. */
  readonly secretKey: string;
  readonly billing: BillingClient;
}

const SCOPES = [
  'products:read',
  'products:write',
  'customers:read',
  'customers:write',
  'subscriptions:read',
  'analytics:read',
];
const CUSTOMERS = 50;
/** Far enough back that no event of the run lies in the future, and that none is taken for the echo of an order. */
const BEGUN_BEFORE_SECONDS = 30 * 86_400;

/** Makes a tenant through the public API, as a person with a browser would. */
export async function newTenant(gatewayUrl: string, processorUrl: string): Promise<Tenant> {
  const ask = signedOut(gatewayUrl);
  const credentials = { email: `${random()}@example.com`, password: `pw-${random()}` };
  await ask('POST', '/api/auth/sign-up/email', { ...credentials, name: 'Bench' });
  await ask('POST', '/api/auth/sign-in/email', credentials);
  const { team } = await ask<{ team: { id: string } }>('POST', '/api/service/teams', { name: 'Bench' });
  const teamPath = `/api/service/teams/${team.id}`;
  const { project } = await ask<{ project: { id: string } }>('POST', `${teamPath}/projects`, { name: 'Bench' });
  const keysPath = `${teamPath}/projects/${project.id}/api-keys`;
  const { secret } = await ask<{ secret: string }>('POST', keysPath, { name: 'bench', scopes: SCOPES });
  const webhookSecret = `whsec_${random()}${random()}`;
  const secretKey = `sk_test_${random()}${random()}`;
  await ask('POST', `${teamPath}/processor/connect`, {
    secretKey,
    publishableKey: `pk_test_${random()}`,
    webhookSecret,
  });
  if (!processorUrl) throw new Error('The benchmark needs the local processor; unset STRIPE_API_BASE_URL.');
  const [teamId, projectId] = [team.id, project.id];
  const billing = new BillingClient({ baseUrl: gatewayUrl, apiKey: secret, teamId, projectId });
  return { teamId, projectId, webhookSecret, secretKey, billing };
}

/** Makes the customers and the price of the subscriptions to come. */
export async function newShop({ teamId, projectId, billing }: Tenant, subscriptions: number): Promise<Shop> {
  const product = await billing.products.create({ name: 'Bench', description: 'What everybody has' });
  const price = await billing.prices.create({
    productId: product.id,
    unitAmount: 2_999,
    currency: 'usd',
    interval: 'month',
  });
  const customers = await Promise.all(
    Array.from({ length: CUSTOMERS }, () => billing.customers.create({ email: `${random()}@example.com` })),
  );
  return {
    teamId,
    projectId,
    priceId: price.id,
    processorPriceId: price.processorPriceId,
    processorProductId: product.processorProductId,
    customers,
    subscriptions,
    begunAt: Math.floor(Date.now() / 1_000) - BEGUN_BEFORE_SECONDS,
  };
}

/** Asks with the cookies of the answers before. */
function signedOut(gatewayUrl: string) {
  const cookies = new Map<string, string>();
  return async <Answer>(method: string, path: string, body: object): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'content-type': 'application/json', origin: gatewayUrl, ...(cookie && { cookie }) };
    const response = await fetch(`${gatewayUrl}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    return (await response.json()) as Answer; // as the API's document says
  };
}

const random = () => randomBytes(8).toString('hex');
