import { ENDPOINT_EVENT_TYPES } from '@billing/contracts/processor-events';
import { z } from 'zod';
import { RefusedRequest } from './browser.ts';

const endpoint = z.object({ id: z.string(), secret: z.string().optional() });

/** An account at the processor, as far as its owner sets it up by hand. */
export interface ProcessorAccount {
  /** Has the account's events sent to an address. The secret signs them and is shown this once. */
  createWebhookEndpoint(url: string): Promise<{ readonly id: string; readonly secret: string }>;
  /** Has them sent to another one. */
  moveWebhookEndpoint(id: string, url: string): Promise<void>;
}

/** https://docs.stripe.com/api/webhook_endpoints */
export function processorAccount(processorUrl: string, secretKey: string, send: typeof fetch): ProcessorAccount {
  const post = async (path: string, form: [string, string][]) => {
    const response = await send(`${processorUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}` },
      body: new URLSearchParams(form),
    });
    if (!response.ok) throw new RefusedRequest(`The processor's POST ${path}`, response.status, await response.text());
    return endpoint.parse(await response.json());
  };
  return {
    async createWebhookEndpoint(url) {
      const types = ENDPOINT_EVENT_TYPES.map((type): [string, string] => ['enabled_events[]', type]);
      const { id, secret } = await post('/v1/webhook_endpoints', [['url', url], ...types]);
      if (secret === undefined) throw new Error('The processor made a webhook endpoint but told no signing secret.');
      return { id, secret };
    },
    async moveWebhookEndpoint(id, url) {
      await post(`/v1/webhook_endpoints/${id}`, [['url', url]]);
    },
  };
}

/** Presses the hosted page's pay button, as a browser without script does. */
export async function pay(checkoutUrl: string, send: typeof fetch): Promise<void> {
  const form = new URLSearchParams({ action: 'pay' });
  const response = await send(checkoutUrl, { method: 'POST', body: form, redirect: 'manual' });
  await response.body?.cancel();
  if (response.status !== 303) throw new RefusedRequest('Paying on the checkout page', response.status, '');
}
