import { randomBytes } from 'node:crypto';
import { BillingClient } from '@billing/client';

/** A team with a project and a connected processor account. */
export interface Tenant {
  readonly teamId: string;
  readonly projectId: string;
  readonly webhookSecret: string;
  /** The secret key of the processor account. */
  readonly secretKey: string;
  readonly billing: BillingClient;
  /** Posts JSON as the signed-in developer. */
  readonly post: ReturnType<typeof openSession>;
}

const SCOPES = [
  'products:read',
  'products:write',
  'customers:read',
  'customers:write',
  'subscriptions:read',
  'subscriptions:write',
  'analytics:read',
  'entitlements:read',
];

interface Urls {
  readonly gatewayUrl: string;
  readonly processorUrl?: string | undefined;
}

interface TenantOptions {
  /** Whether the processor delivers the account's events; otherwise the benchmark posts its own. */
  readonly receivesWebhooks?: boolean;
  /** The secret key of the processor account; a new account by default. */
  readonly secretKey?: string;
}

/** Creates a tenant through the public API, as a person with a browser does. */
export async function newTenant(
  { gatewayUrl, processorUrl }: Urls,
  { receivesWebhooks = false, secretKey = newSecretKey() }: TenantOptions = {},
): Promise<Tenant> {
  if (!processorUrl) throw new Error('The benchmark needs the local processor; unset STRIPE_API_BASE_URL.');
  const post = openSession(gatewayUrl);
  const credentials = { email: `${random()}@example.com`, password: `pw-${random()}` };
  await post('/api/auth/sign-up/email', { ...credentials, name: 'Bench' });
  await post('/api/auth/sign-in/email', credentials);
  const { team } = await post<{ team: { id: string } }>('/api/service/teams', { name: 'Bench' });
  const teamPath = `/api/service/teams/${team.id}`;
  const { project } = await post<{ project: { id: string } }>(`${teamPath}/projects`, { name: 'Bench' });
  const keysPath = `${teamPath}/projects/${project.id}/api-keys`;
  const { secret } = await post<{ secret: string }>(keysPath, { name: 'bench', scopes: SCOPES });
  const webhookSecret = receivesWebhooks
    ? await registerEndpoint(processorUrl, secretKey, `${gatewayUrl}/api/webhooks/processor/${team.id}`)
    : `whsec_${random()}${random()}`;
  await post(`${teamPath}/processor/connect`, { secretKey, publishableKey: `pk_test_${random()}`, webhookSecret });
  const [teamId, projectId] = [team.id, project.id];
  const billing = new BillingClient({ baseUrl: gatewayUrl, apiKey: secret, teamId, projectId });
  return { teamId, projectId, webhookSecret, secretKey, billing, post };
}

/** Returns the secret key of a new processor account: the local processor has an account for every key. */
export const newSecretKey = (): string => `sk_test_${random()}${random()}`;

/** Registers a webhook endpoint for all events at the processor, and returns its signing secret. */
export async function registerEndpoint(processorUrl: string, secretKey: string, url: string): Promise<string> {
  const response = await fetch(`${processorUrl}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams([
      ['url', url],
      ['enabled_events[]', '*'],
    ]),
  });
  const { secret } = (await response.json()) as { secret: string }; // as Stripe returns it
  return secret;
}

/** Returns a function that posts JSON with the cookies of the responses before. It throws for error statuses. */
function openSession(gatewayUrl: string) {
  const cookies = new Map<string, string>();
  return async <Body>(path: string, body: object): Promise<Body> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'content-type': 'application/json', origin: gatewayUrl, ...(cookie && { cookie }) };
    const response = await fetch(`${gatewayUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${await response.text()}`);
    for (const header of response.headers.getSetCookie()) {
      const [name = '', value = ''] = header.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    return (await response.json()) as Body; // as the API's document says
  };
}

const random = () => randomBytes(8).toString('hex');
