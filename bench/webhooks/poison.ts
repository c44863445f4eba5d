import { randomBytes } from 'node:crypto';
import { eventBody, signatureOf, type Shop } from './subscription-events.ts';

/** Events whose handling throws at every attempt, for about a minute each. */
export const POISONED = 3;

interface Surroundings {
  /** Where the events are posted. */
  readonly url: string;
  readonly secret: string;
  readonly shop: Shop;
  /** The processor, and the team's key to it. */
  readonly processorUrl: string;
  readonly secretKey: string;
}

/**
 * Posts events of subscriptions whose customers are at the processor and in no project of ours.
 * @throws Error when one is not acknowledged
 */
export async function postPoison({ url, secret, shop, processorUrl, secretKey }: Surroundings): Promise<void> {
  for (let number = 0; number < POISONED; number += 1) {
    const customer = await newStranger(processorUrl, secretKey);
    const event = JSON.parse(eventBody(shop, 0));
    const { metadata, ...object } = event.data.object;
    const { teamId, projectId } = metadata;
    const stranger = { ...object, id: `sub_poison${random()}`, customer, metadata: { teamId, projectId } };
    const body = JSON.stringify({ ...event, id: `evt_poison${random()}`, data: { object: stranger } });
    const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(body, secret, new Date()) };
    const { status } = await fetch(url, { method: 'POST', headers, body });
    if (status !== 200) throw new Error(`A poisoned event was answered ${status}.`);
  }
}

async function newStranger(processorUrl: string, secretKey: string): Promise<string> {
  const response = await fetch(`${processorUrl}/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams({ email: `${random()}@example.com` }),
  });
  const { id } = (await response.json()) as { id: string }; // what the processor answers
  return id;
}

const random = () => randomBytes(8).toString('hex');
