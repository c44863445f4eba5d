import { randomBytes } from 'node:crypto';
import { BillingClient, type HostedCheckout, type Subscription } from '@billing/client';
import { SCOPES } from '@billing/contracts/scopes';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { waitFor } from '@billing/testing/wait-for';
import { inject } from 'vitest';
import { Caller, ok } from './http.ts';

const random = () => randomBytes(8).toString('hex');

/** The URLs of a system. */
interface Addresses {
  readonly gatewayUrl: string;
  readonly processorUrl: string;
  /** Sent with each request of the developer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The system that serves all test files. */
const sharedSystem = (): Addresses => ({ gatewayUrl: inject('gatewayUrl'), processorUrl: inject('processorUrl') });

/** Creates a tenant through the public API: a user, a team, a project, an API key and a connected processor account. */
export async function newTenant({ gatewayUrl, processorUrl, headers }: Addresses = sharedSystem()) {
  const { user, credentials, userId } = await newUser(newEmail(), { gatewayUrl, headers });
  const { team } = await ok(user.post('/api/service/teams', { name: 'Acme' }), 201);
  const teamPath = `/api/service/teams/${team.id}`;
  const teamId = team.id as string;
  const project = await openProject(user, teamId, gatewayUrl);
  const connected = await connectProcessor(user, teamPath, processorUrl);
  return {
    /** The developer, signed in with a session. */
    user,
    gatewayUrl,
    userId,
    credentials,
    teamId,
    teamPath,
    ...project,
    ...connected,
  };
}

export type Tenant = Awaited<ReturnType<typeof newTenant>>;

/** Creates another project of the tenant's team, with a key of its own. */
export async function newSiblingProject(tenant: Tenant): Promise<Tenant> {
  return { ...tenant, ...(await openProject(tenant.user, tenant.teamId, inject('gatewayUrl'))) };
}

/** Creates a project of a team, and an API key with every scope. */
async function openProject(user: Caller, teamId: string, gatewayUrl: string) {
  const { project } = await ok(user.post(`/api/service/teams/${teamId}/projects`, { name: 'Shop' }), 201);
  const projectId = project.id as string;
  const P = `/api/service/teams/${teamId}/projects/${projectId}`;
  const issued = await ok(user.post(`${P}/api-keys`, { name: 'backend', scopes: SCOPES }), 201);
  const secret = issued.secret as string;
  return {
    projectId,
    P,
    secret,
    /** The tenant's backend. */
    billing: new BillingClient({ baseUrl: gatewayUrl, apiKey: secret, teamId, projectId }),
    /** The same API key over plain HTTP, for tests about HTTP. */
    api: new Caller({ authorization: `Bearer ${secret}` }, gatewayUrl),
  };
}

/** Signs up a user, who then has a session. */
export async function newUser(
  email = newEmail(),
  { gatewayUrl, headers }: Pick<Addresses, 'gatewayUrl' | 'headers'> = sharedSystem(),
) {
  const user = new Caller({ ...headers, origin: gatewayUrl }, gatewayUrl);
  const credentials = { email, password: `pw-${random()}` };
  const signUp = async () => {
    const response = await user.post('/api/auth/sign-up/email', { ...credentials, name: 'Ada' });
    // A busy machine may say so for a moment.
    return response.status === 503 ? undefined : response;
  };
  const signedUp = await ok(waitFor(signUp, { what: 'the sign-up' }));
  return { user, credentials, userId: String(signedUp.user.id) };
}

/** Creates a project of a team whose account at the processor is live; only its owner calls it. */
export async function newLiveProject() {
  const { user } = await newUser();
  const { team } = await ok(user.post('/api/service/teams', { name: 'Live' }), 201);
  const teamPath = `/api/service/teams/${team.id}`;
  const { project } = await ok(user.post(`${teamPath}/projects`, { name: 'Live' }), 201);
  const live = { secretKey: `sk_live_${random()}${random()}`, webhookSecret: 'whsec_1234567890' };
  await ok(user.post(`${teamPath}/processor/connect`, live));
  return { user, P: `${teamPath}/projects/${project.id}` };
}

export type User = Awaited<ReturnType<typeof newUser>>;

/** Invites an address to the tenant's team and returns the path that accepts the invitation. */
export async function invite({ user, teamPath }: Tenant, email: string, role = 'member'): Promise<string> {
  const { invitation } = await ok(user.post(`${teamPath}/members`, { email, role }), 202);
  return `/api/service/invitations/${invitation.url.split('token=')[1]}/accept`;
}

/** Makes a user a member of the tenant's team. */
export async function addMember(tenant: Tenant, { user, credentials }: User, role = 'member'): Promise<void> {
  await ok(user.post(await invite(tenant, credentials.email, role)));
}

/** Connects a new account at the local processor, and registers the team's webhook URL there. */
async function connectProcessor(user: Caller, teamPath: string, processorUrl: string) {
  const secretKey = `sk_test_${random()}${random()}`;
  const { webhookUrl } = await ok(user.get(`${teamPath}/processor/webhook-url`));
  const endpoint = await fetch(`${processorUrl}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams([
      ['url', webhookUrl],
      ['enabled_events[]', '*'],
    ]),
  });
  const { secret: webhookSecret } = (await endpoint.json()) as { secret: string }; // as Stripe returns it
  const publishableKey = `pk_test_${random()}`;
  const connectWith = (signingSecret: string) =>
    ok(user.post(`${teamPath}/processor/connect`, { secretKey, publishableKey, webhookSecret: signingSecret }));
  await connectWith(webhookSecret);
  return {
    /** The account's key at the processor, which only the team knows. */
    secretKey,
    webhookSecret,
    /** Replaces the signing secret and keeps the API keys. */
    connectWith,
    processor: new LocalProcessorControl(processorUrl, secretKey),
    /** Calls the processor's own API, as Stripe's library does. */
    callProcessor: async (path: string, form?: Readonly<Record<string, string>>, method = form ? 'POST' : 'GET') => {
      const headers = { authorization: `Bearer ${secretKey}` };
      const body = form && { body: new URLSearchParams(form) };
      const response = await fetch(`${processorUrl}${path}`, { method, headers, ...body });
      if (!response.ok) throw new Error(`The processor rejected ${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
}

/** Lists every object of a processor collection, newest first. */
export async function listFromProcessor<Item extends { readonly id: string }>(
  { callProcessor }: Pick<Tenant, 'callProcessor'>,
  path: string,
  filter: Readonly<Record<string, string>> = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const last = items.at(-1);
    const query = new URLSearchParams({ ...filter, limit: '100', ...(last && { starting_after: last.id }) });
    const page = await callProcessor(`${path}?${query.toString()}`);
    items.push(...page.data);
    if (!page.has_more) return items;
  }
}

/** Creates a product with a monthly price of 29.99 USD. */
export async function newMonthlyPrice({ billing }: Tenant): Promise<{ productId: string; priceId: string }> {
  const product = await billing.products.create({ name: 'Pro', description: 'Everything' });
  const monthly = { unitAmount: 2_999, currency: 'usd', interval: 'month' } as const;
  const price = await billing.prices.create({ productId: product.id, ...monthly });
  return { productId: product.id, priceId: price.id };
}

/** Returns a unique e-mail address. */
export const newEmail = (): string => `${random()}@example.com`;

/** Creates a customer and returns its id. */
export async function newCustomer({ billing }: Tenant): Promise<string> {
  return (await billing.customers.create({ email: newEmail(), name: 'Grace' })).id;
}

/** Starts a checkout for one unit of a price. */
export function newCheckout({ billing }: Tenant, customerId: string, priceId: string): Promise<HostedCheckout> {
  const successUrl = 'https://shop.example/done?session={CHECKOUT_SESSION_ID}';
  return billing.checkout.create({ customerId, priceId, successUrl, cancelUrl: 'https://shop.example/' });
}

/** Submits the hosted payment page, and returns the URL it redirects to. */
export async function payOnHostedPage(url: string, action: 'pay' | 'decline' = 'pay'): Promise<string | null> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' });
  return response.headers.get('location');
}

/** Waits until the API shows the customer's subscription as active, and returns it. */
export function waitForActiveSubscription({ billing }: Tenant, customerId: string): Promise<Subscription> {
  return waitFor(
    async () => {
      const { items } = await billing.subscriptions.list({ customerId }).page();
      return items[0]?.status === 'active' ? items[0] : undefined;
    },
    { what: 'the subscription to be active' },
  );
}

/** Creates a customer who pays for a price, and returns the active subscription. */
export async function newSubscription(tenant: Tenant, priceId: string): Promise<Subscription> {
  const customerId = await newCustomer(tenant);
  const { url } = await newCheckout(tenant, customerId, priceId);
  await payOnHostedPage(url);
  return waitForActiveSubscription(tenant, customerId);
}

/** Has the card of a subscription decline from now on; returns what has it pay again. */
export async function declineCard(
  { callProcessor, processor }: Tenant,
  { processorSubscriptionId }: Pick<Subscription, 'processorSubscriptionId'>,
): Promise<() => Promise<void>> {
  const { default_payment_method: card } = await callProcessor(`/v1/subscriptions/${processorSubscriptionId}`);
  await processor.setCardDeclines(card, true);
  return async () => processor.setCardDeclines(card, false);
}

/** Gives a customer a saved card, which invoices are charged to; returns its id at the processor. */
export async function saveCard({ billing, callProcessor }: Tenant, customerId: string): Promise<string> {
  const { processorCustomerId } = await billing.customers.get(customerId);
  const { id } = await callProcessor('/v1/payment_methods/pm_card_visa/attach', { customer: processorCustomerId });
  await callProcessor(`/v1/customers/${processorCustomerId}`, { 'invoice_settings[default_payment_method]': id });
  return id as string;
}
