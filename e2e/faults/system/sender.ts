import { signatureOf } from '@billing/testing/signed-webhooks';
import { waitFor } from '@billing/testing/wait-for';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import type { Tenant } from '../../system/tenant.ts';
import { outcomeOf, type SentEvent, type Write } from './sent-requests.ts';

/** Longer than any deadline of the gateway. */
const RESPONSE_TIMEOUT_MS = 60_000;

interface Posting {
  /** The path of webhooks; `stripe` is the older one. */
  readonly path?: 'processor' | 'stripe';
  /** Called with the body of an acknowledgement. */
  readonly onSuccess?: (body: string) => unknown;
}

/** Posts an event once, signed now, and records the outcome. Returns the status; 0 when no response arrived. */
export async function postEvent(
  gatewayUrl: string,
  { teamId, webhookSecret }: Pick<Tenant, 'teamId' | 'webhookSecret'>,
  event: SentEvent,
  { path = 'processor', onSuccess }: Posting = {},
): Promise<number> {
  const status = await statusOf(
    fetch(`${gatewayUrl}/api/webhooks/${path}/${teamId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(event.body, webhookSecret) },
      body: event.body,
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    }),
    onSuccess,
  );
  recordAttempt(event, status);
  return status;
}

/** Sends a write once under its own key, and records the outcome. Returns the status; 0 when no response arrived. */
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
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    }),
    body => (write.id ??= resourceIdIn(body)),
  );
  recordAttempt(write, status);
  return status;
}

/** Adds an attempt to a request. An acknowledgement is final: later failures do not revoke it. */
function recordAttempt(sent: Pick<SentEvent, 'statuses' | 'outcome'>, status: number): void {
  sent.statuses.push(status);
  if (sent.outcome !== 'ok') sent.outcome = outcomeOf(status);
}

/** Posts every unacknowledged event again, as the processor does, until each is acknowledged. */
export async function redeliver(gatewayUrl: string, tenant: Tenant, events: readonly SentEvent[]): Promise<void> {
  await mapConcurrently(events, event => untilOk(event, () => postEvent(gatewayUrl, tenant, event), event.id));
}

/** Sends every write without a success again under the same key, until each succeeds. */
export async function repeatWrites(gatewayUrl: string, tenant: Tenant, writes: readonly Write[]): Promise<void> {
  await mapConcurrently(writes, write => untilOk(write, () => sendWrite(gatewayUrl, tenant, write), write.path));
}

async function untilOk(sent: SentEvent | Write, send: () => Promise<number>, name: string): Promise<void> {
  if (sent.outcome === 'ok') return;
  await waitFor(
    async () => {
      if (outcomeOf(await send()) === 'ok') return true;
      throw new Error(`Statuses so far: ${sent.statuses.join(', ')}.`);
    },
    { what: `${name} to be accepted`, intervalMs: 500 },
  );
}

async function statusOf(
  responding: Promise<Response>,
  onSuccess: (body: string) => unknown = () => undefined,
): Promise<number> {
  try {
    const response = await responding;
    const body = await response.text();
    if (response.ok) onSuccess(body);
    return response.status;
  } catch {
    return 0;
  }
}

/** A response to a write has one resource under its name: `{ customer: { id, … } }`. */
function resourceIdIn(body: string): string | undefined {
  const [resource] = Object.values(JSON.parse(body) as Record<string, { readonly id?: string }>); // the API's common form
  return resource?.id;
}
