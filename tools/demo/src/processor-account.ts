import { ENDPOINT_EVENT_TYPES } from '@billing/contracts/processor-events';
import { z } from 'zod';
import { FailedRequest } from './browser.ts';

const endpoint = z.object({ id: z.string(), secret: z.string().optional() });

/** The webhook endpoints of an account at the processor. */
export interface ProcessorAccount {
  /** Creates a webhook endpoint. Only this call returns the signing secret. */
  createWebhookEndpoint(url: string): Promise<{ readonly id: string; readonly secret: string }>;
  /** Changes the URL of a webhook endpoint. */
  updateWebhookEndpoint(id: string, url: string): Promise<void>;
}

/** Returns the account of a secret key (https://docs.stripe.com/api/webhook_endpoints). */
export function processorAccount(processorUrl: string, secretKey: string, send: typeof fetch): ProcessorAccount {
  const post = async (path: string, form: [string, string][]) => {
    const response = await send(`${processorUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}` },
      body: new URLSearchParams(form),
    });
    if (!response.ok) throw new FailedRequest(`The processor's POST ${path}`, response.status, await response.text());
    return endpoint.parse(await response.json());
  };
  return {
    async createWebhookEndpoint(url) {
      const types = ENDPOINT_EVENT_TYPES.map((type): [string, string] => ['enabled_events[]', type]);
      const { id, secret } = await post('/v1/webhook_endpoints', [['url', url], ...types]);
      if (secret === undefined)
        throw new Error('The processor created a webhook endpoint but returned no signing secret.');
      return { id, secret };
    },
    async updateWebhookEndpoint(id, url) {
      await post(`/v1/webhook_endpoints/${id}`, [['url', url]]);
    },
  };
}

/** Pays on the hosted page: submits its form, as a browser without JavaScript does. */
export async function pay(checkoutUrl: string, send: typeof fetch): Promise<void> {
  const form = new URLSearchParams({ action: 'pay' });
  const response = await send(checkoutUrl, { method: 'POST', body: form, redirect: 'manual' });
  await response.body?.cancel();
  if (response.status !== 303) throw new FailedRequest('Paying on the checkout page', response.status, '');
}
