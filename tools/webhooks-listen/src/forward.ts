import { createHmac } from 'node:crypto';
import type { BillingEvent } from '@billing/client';
import { resolverOf } from '../../../services/webhooks/src/outgoing/resolve-names.ts';
import { openSender } from '../../../services/webhooks/src/outgoing/sender.ts';
import { endpointKey, signedHeaders } from '../../../services/webhooks/src/outgoing/sent-signature.rules.ts';
import { parseAllowedTargets, portOf } from '../../../services/webhooks/src/outgoing/sent-urls.rules.ts';

/** Returns the secret that signs what is forwarded with an API key: the same each time. */
export const secretOf = (apiKey: string): string =>
  `whsec_${createHmac('sha256', apiKey).update('webhooks:listen').digest('base64')}`;

/** Opens what posts events to one address, as they are posted to an endpoint. It returns what became of each, in words. */
export function openForward(address: string, secret: string): (event: BillingEvent) => Promise<string> {
  const url = new URL(address);
  const allowed = { targets: parseAllowedTargets(`${url.hostname}:${portOf(url)}`), ownPorts: new Set<number>() };
  const sender = openSender({ allowed, resolve: resolverOf(allowed), now: () => new Date() });
  const key = endpointKey(secret);
  return async event => {
    const body = Buffer.from(JSON.stringify(event));
    const headers = signedHeaders(key ? [key] : [], { id: event.id, at: new Date(), body });
    const { responseStatus, error } = await sender.send(url, headers, body, event.teamId);
    return String(responseStatus ?? error);
  };
}
