import { SERVICES } from '@billing/contracts/operation';
import { openKeyRing } from '@billing/processor/key-ring';
import { httpOrigin, keyInBase64, processorEnv, serviceEnv } from '@billing/service/env';
import { z } from 'zod';
import { parseAllowedTargets } from './outgoing/sent-urls.rules.ts';

/** `catalog:<base64>,customers:<base64>`: the key of each service that may have the teams' secret keys. */
const serviceKeys = z
  .string()
  .transform(list => list.split(/,\s*/).map(entry => entry.split(':', 2) as [string, string])) // checked below
  .transform(entries => new Map(entries))
  .pipe(z.map(z.enum(SERVICES), keyInBase64));

const keyRing = z.string().transform((text, context) => {
  try {
    return openKeyRing(text);
  } catch (err) {
    context.addIssue({ code: 'custom', message: err instanceof Error ? err.message : String(err) });
    return z.NEVER;
  }
});

function allowedTargets(text: string, context: z.RefinementCtx) {
  try {
    return parseAllowedTargets(text);
  } catch (err) {
    context.addIssue({ code: 'custom', message: err instanceof Error ? err.message : String(err) });
    return z.NEVER;
  }
}

const variables = serviceEnv.extend(processorEnv.shape).extend({
  /** Master keys of the teams' secrets by version, the current one first: `2:<base64>,1:<base64>`, or `file:/path`. */
  CREDENTIALS_KEYS: keyRing,
  SERVICE_KEYS: serviceKeys,
  /** Where Stripe reaches the gateway; the webhook URL is made from it. */
  PUBLIC_URL: httpOrigin,
  /** How often each team's events at Stripe are scanned for events that no webhook delivered. */
  RECONCILE_INTERVAL_SECONDS: z.coerce.number().min(1).max(86_400).default(300),
  /** How old an event must be to count as missed: its webhook may be on its way. */
  RECONCILE_GRACE_SECONDS: z.coerce.number().min(0).max(86_400).default(60),
  /** How many requests a second a sync makes to a team's account: a fifth of what Stripe allows, or less. */
  SYNC_REQUESTS_PER_SECOND: z.coerce.number().min(0.1).max(100).default(20),
  /** How long after a read an object that differs is compared again: its webhook may be on its way. */
  SYNC_RECHECK_SECONDS: z.coerce.number().min(0).max(600).default(5),
  /** Whether every connected team's records are compared with its account every night. */
  SYNC_NIGHTLY: z.enum(['on', 'off']).default('on'),
  /** How long the payloads of events that did not fail are stored. */
  PAYLOAD_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** Bytes that a team may store in all tables of this service together. */
  QUOTA_BYTES: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).default(10_737_418_240),
  /** How long events for tenants and their deliveries are kept. An event is tried for up to four days. */
  WEBHOOKS_RETENTION_DAYS: z.coerce.number().int().min(4).max(365).default(30),
  /** Networks and hosts that events may be sent to beside the public internet: `10.0.0.0/8,hooks.internal:8080`. */
  WEBHOOKS_ALLOW_ADDRESSES: z.string().default('').transform(allowedTargets),
  /** Ports of this installation, to which no network that is allowed opens a way. */
  WEBHOOKS_OWN_PORTS: z
    .string()
    .default('')
    .transform(text => new Set(text.split(',').filter(Boolean).map(Number)))
    .pipe(z.set(z.int().min(1).max(65_535))),
  /** Deliveries of a team that this copy begins a second; those of ten quiet seconds may come at once. */
  WEBHOOKS_DELIVERIES_PER_SECOND: z.coerce.number().min(1).max(100_000).default(50),
  /** Which work this copy does: receive what Stripe posts, deliver events to endpoints, or both. */
  WEBHOOKS_WORK: z
    .string()
    .default('receive,deliver')
    .transform(text => text.split(','))
    .pipe(z.array(z.enum(['receive', 'deliver'])).min(1)),
  /** Pauses between attempts to find an event's project, `1,5,30`; after one more attempt it has failed. */
  ROUTING_PAUSES_SECONDS: z
    .string()
    .transform(text => text.split(',').map(Number))
    .pipe(z.array(z.number().positive().max(86_400)).max(20))
    .optional(),
});

/** The service's variables beside those of every service. `CREDENTIALS_KEY` is the only key of a system that has no versions. */
export const webhooksEnv = z.preprocess(source => {
  const { CREDENTIALS_KEY: first, CREDENTIALS_KEYS: keys = first && `1:${first}` } = environment.parse(source);
  return Object.assign({}, source, keys && { CREDENTIALS_KEYS: keys });
}, variables);

const environment = z.object({ CREDENTIALS_KEY: z.string().optional(), CREDENTIALS_KEYS: z.string().optional() });
