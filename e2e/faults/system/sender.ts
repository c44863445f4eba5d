import { waitFor } from '@billing/testing/wait-for';
import type { Tenant } from '../../system/tenant.ts';
import { signatureOf } from './processor-events.ts';
import { outcomeOf, type SentEvent, type Write } from './sent.ts';

/** No answer within this time counts as none; longer than any deadline of the gateway's. */
const ANSWER_MS = 60_000;
const AT_ONCE = 16;

/** Posts an event once, signed now, to the tenant's URL at this gateway, and notes the outcome. */
export async function postEvent(
  gatewayUrl: string,
  { teamId, webhookSecret }: Pick<Tenant, 'teamId' | 'webhookSecret'>,
  event: SentEvent,
): Promise<number> {
  const status = await statusOf(
    fetch(`${gatewayUrl}/api/webhooks/processor/${teamId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(webhookSecret, event.body) },
      body: event.body,
      signal: AbortSignal.timeout(ANSWER_MS),
    }),
  );
  event.answers.push(status);
  // Acknowledged once is acknowledged.
  if (event.outcome !== 'ok') event.outcome = outcomeOf(status);
  return status;
}

/** Writes once, under the write's own key, and notes the outcome. */
export async function sendWrite(gatewayUrl: string, { secret, P }: Tenant, write: Write): Promise<number> {
  const status = await statusOf(
    fetch(`${gatewayUrl}${P}${write.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${secret}`,
        'idempotency-key': write.key,
      },
      body: JSON.stringify(write.body),
      signal: AbortSignal.timeout(ANSWER_MS),
    }),
    body => (write.id ??= idIn(body)),
  );
  write.answers.push(status);
  if (write.outcome !== 'ok') write.outcome = outcomeOf(status);
  return status;
}

/** Sends again what was not acknowledged, as the processor does, until all of it is. */
export async function redeliver(gatewayUrl: string, tenant: Tenant, events: readonly SentEvent[]): Promise<void> {
  await eachOf(events, event => untilOk(event, () => postEvent(gatewayUrl, tenant, event), event.id));
}

/** Sends again under the same keys what was not done for sure, until each is. */
export async function repeatWrites(gatewayUrl: string, tenant: Tenant, writes: readonly Write[]): Promise<void> {
  await eachOf(writes, write => untilOk(write, () => sendWrite(gatewayUrl, tenant, write), write.path));
}

/** Runs `work` for every item, a few at once. */
export async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  atOnce = AT_ONCE,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

async function untilOk(sent: SentEvent | Write, send: () => Promise<number>, what: string): Promise<void> {
  if (sent.outcome === 'ok') return;
  await waitFor(
    async () => {
      if (outcomeOf(await send()) === 'ok') return true;
      throw new Error(`The answers so far: ${sent.answers.join(', ')}.`);
    },
    { what: `${what} to be taken`, timeoutMs: 120_000, intervalMs: 500 },
  );
}

async function statusOf(
  answering: Promise<Response>,
  read: (body: string) => unknown = () => undefined,
): Promise<number> {
  try {
    const answer = await answering;
    const body = await answer.text();
    if (answer.ok) read(body);
    return answer.status;
  } catch {
    return 0;
  }
}

/** A resource stands under its name in the answer: `{ customer: { id, … } }`. */
function idIn(body: string): string | undefined {
  const [resource] = Object.values(JSON.parse(body) as Record<string, { readonly id?: string }>); // the API's common form
  return resource?.id;
}
