import { z } from 'zod';
import { FailedRequest } from './browser.ts';

const endpoints = z.object({ data: z.array(z.object({ id: z.string(), url: z.string() })) });

/** The webhook endpoints of an account at the processor. */
export interface ProcessorAccount {
  /**
   * Returns the id of the webhook endpoint that posts to this URL.
   * @throws Error when there is none
   */
  findWebhookEndpoint(url: string): Promise<string>;
  /** Changes the URL of a webhook endpoint. */
  updateWebhookEndpoint(id: string, url: string): Promise<void>;
}

/** Returns the account of a secret key (https://docs.stripe.com/api/webhook_endpoints). */
export function processorAccount(processorUrl: string, secretKey: string, send: typeof fetch): ProcessorAccount {
  const call = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await send(`${processorUrl}${path}`, {
      headers: { authorization: `Bearer ${secretKey}` },
      ...init,
    });
    if (response.ok) return response.json();
    const request = `The processor's ${init.method ?? 'GET'} ${path}`;
    throw new FailedRequest(request, response.status, await response.text());
  };
  return {
    async findWebhookEndpoint(url) {
      const { data } = endpoints.parse(await call('/v1/webhook_endpoints'));
      const found = data.find(endpoint => endpoint.url === url);
      if (!found) throw new Error(`The processor has no webhook endpoint for ${url}.`);
      return found.id;
    },
    async updateWebhookEndpoint(id, url) {
      await call(`/v1/webhook_endpoints/${id}`, { method: 'POST', body: new URLSearchParams({ url }) });
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
