import { createHmac } from 'node:crypto';
import type { BillingEvent } from '@billing/client';
import { endpointKey, signedHeaders } from '../../../services/webhooks/src/domain/sent-signature.ts';

/** As long as an endpoint may take. */
const TIMEOUT_MS = 15_000;

/** Returns the secret that signs what is forwarded with an API key: the same each time. */
export const secretOf = (apiKey: string): string =>
  `whsec_${createHmac('sha256', apiKey).update('webhooks:listen').digest('base64')}`;

/** Posts an event as it is posted to an endpoint. Returns what became of it, in words. */
export async function forward(event: BillingEvent, { to, secret }: { readonly to: string; readonly secret: string }) {
  const body = Buffer.from(JSON.stringify(event));
  const key = endpointKey(secret);
  const headers = signedHeaders(key ? [key] : [], { id: event.id, at: new Date(), body });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return String(response.status);
  } catch (err) {
    const { cause, message } = err as Error; // what fetch rejects with
    return cause instanceof Error && 'code' in cause ? String(cause.code) : message;
  }
}
