import { signatureOf } from '@billing/testing/signed-webhooks';
import { randomBytes } from 'node:crypto';
import type { Shop } from './shop.ts';
import { eventBody } from './subscription-events.ts';

/** How many poisoned events are posted. Each is retried for about a minute. */
export const POISONED_EVENTS = 3;

interface Target {
  /** The webhook URL of the team. */
  readonly url: string;
  readonly secret: string;
  readonly shop: Shop;
  /** The processor, and the secret key of the team's account. */
  readonly processorUrl: string;
  readonly secretKey: string;
}

/**
 * Posts events of subscriptions whose customers exist at the processor but not in billing: every attempt throws.
 * @throws Error when one is not acknowledged
 */
export async function postPoisonedEvents({ url, secret, shop, processorUrl, secretKey }: Target): Promise<void> {
  for (let number = 0; number < POISONED_EVENTS; number += 1) {
    const customer = await newUnknownCustomer(processorUrl, secretKey);
    const event = JSON.parse(eventBody(shop, 0));
    const { metadata, ...object } = event.data.object;
    const { teamId, projectId } = metadata;
    const subscription = { ...object, id: `sub_poison${random()}`, customer, metadata: { teamId, projectId } };
    const body = JSON.stringify({ ...event, id: `evt_poison${random()}`, data: { object: subscription } });
    const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(body, secret) };
    const { status } = await fetch(url, { method: 'POST', headers, body });
    if (status !== 200) throw new Error(`A poisoned event got ${status}.`);
  }
}

async function newUnknownCustomer(processorUrl: string, secretKey: string): Promise<string> {
  const response = await fetch(`${processorUrl}/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams({ email: `${random()}@example.com` }),
  });
  const { id } = (await response.json()) as { id: string }; // as Stripe returns it
  return id;
}

const random = () => randomBytes(8).toString('hex');
