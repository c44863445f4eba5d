import { ENDPOINT_EVENT_TYPES, OPTIONAL_EVENT_TYPES } from '@billing/contracts/processor-events';
import type {
  CheckStatus,
  HealthCheck,
  HealthCheckName,
  ProcessorHealth,
} from '@billing/contracts/resources/processor-health';
import { MAX_COUNTED } from '@billing/contracts/pagination';
import type { WebhookEndpointSnapshot } from '@billing/processor/port';

/** Events of each project that are looked at for when the last ones came. */
export const NEWEST_OF_PROJECT = 1_000;

/** What was found out about a team's connection; null where it could not be. */
export interface ConnectionState {
  /** `refused` in the processor's words; `mode` when it is for the other mode than the account. */
  readonly key: {
    readonly refused: string | null;
    readonly isOtherMode: boolean;
    readonly missing: readonly string[];
  } | null;
  readonly endpoints: readonly WebhookEndpointSnapshot[] | null;
  readonly webhookUrl: string;
  readonly apiVersion: string;
  /** Of the last hour; `accepted` counts the newest of each project. */
  readonly signatures: { readonly accepted: number; readonly refused: number; readonly lastAcceptedAt: Date | null };
  readonly events: {
    readonly newestAt: Date | null;
    readonly failed: number;
    readonly unroutable: number;
    /** At the processor, and older than a webhook takes; null where the processor could not be read. */
    readonly undelivered: number | null;
  };
  /** The last report; null without one. */
  readonly report: { readonly finishedAt: Date; readonly findings: number } | null;
  /** Living subscriptions whose tax the processor stopped computing; null where they could not be counted. */
  readonly untaxed: number | null;
  /** What the team stores here in all, in bytes, and how much it may. */
  readonly storage: { readonly bytes: number; readonly quotaBytes: number };
  /** How far our clock is ahead of the processor's, in seconds. */
  readonly clockSkewSeconds: number | null;
  readonly now: Date;
}

/** Webhooks whose timestamp is farther away are refused. */
const SIGNATURE_TOLERANCE_SECONDS = 300;
const SKEW_WARNING_SECONDS = 30;
const DAY_MS = 86_400_000;
/** Above this part of the quota the oldest payloads go. */
export const LITTLE_ROOM = 0.9;
/** An older report says nothing about today, in days. */
const REPORT_DAYS = 2;

/** Judges a connection: without key or endpoint nothing works; anything else that was found degrades it. */
export function judgeConnection(state: ConnectionState): ProcessorHealth {
  const checks = Object.entries(CHECKS).map(([name, check]): HealthCheck => {
    const [status, detail, fix = null] = check(state);
    return { name: name as HealthCheckName, status, detail, fix }; // the keys are no other
  });
  const isBroken = checks.some(({ name, status }) => status === 'failed' && (name === 'key' || name === 'endpoint'));
  const isDegraded = checks.some(({ status }) => status === 'failed' || status === 'warning');
  return { status: isBroken ? 'broken' : isDegraded ? 'degraded' : 'ok', checks };
}

/** A number that was counted up to a bound. */
const upTo = (count: number): string => (count > MAX_COUNTED ? `more than ${MAX_COUNTED}` : String(count));

type Finding = readonly [status: CheckStatus, detail: string, fix?: string];

function keyCheck({ key }: ConnectionState): Finding {
  if (!key) return ['unknown', 'The payment processor does not respond at the moment.'];
  if (key.refused !== null) return ['failed', key.refused, 'Connect again with a secret key that is valid.'];
  if (key.isOtherMode)
    return ['failed', 'The key is for the other mode than the account.', 'Connect again with a key of its mode.'];
  if (key.missing.length > 0)
    return [
      'failed',
      `The restricted key lacks ${key.missing.join(', ')}.`,
      'Give the key these permissions in the Stripe Dashboard, or connect with another one.',
    ];
  return ['ok', 'The payment processor accepts the key.'];
}

function endpointCheck({ endpoints, webhookUrl, apiVersion }: ConnectionState): Finding {
  if (!endpoints) return ['unknown', 'The webhook endpoints could not be listed.'];
  // Webhooks are received at the older path too.
  const ours = endpoints.filter(({ url }) => url.replace('/webhooks/stripe/', '/webhooks/processor/') === webhookUrl);
  const reconnect = 'Connect again without a signing secret: the endpoint is then made anew.';
  if (ours.length === 0) return ['failed', `No webhook endpoint has the URL ${webhookUrl}.`, reconnect];
  const enabled = ours.filter(({ isEnabled }) => isEnabled);
  if (enabled.length === 0)
    return ['failed', 'The webhook endpoint is disabled.', 'Enable it in the Stripe Dashboard.'];
  const has = (type: string) => enabled.some(({ types }) => types.includes('*') || types.includes(type));
  const missing = ENDPOINT_EVENT_TYPES.filter(type => !has(type));
  if (missing.length > 0)
    return [
      'failed',
      `The webhook endpoint lacks the types ${missing.join(', ')}.`,
      'Add these types to it in the Stripe Dashboard.',
    ];
  const optional = OPTIONAL_EVENT_TYPES.filter(type => !has(type));
  if (optional.length > 0)
    return [
      'warning',
      `The webhook endpoint lacks the types ${optional.join(', ')}: what they tell is seen late.`,
      'Add these types to it in the Stripe Dashboard.',
    ];
  const other = enabled.find(it => it.apiVersion !== apiVersion);
  if (other)
    return [
      'warning',
      `The webhook endpoint sends the API version ${other.apiVersion ?? 'of the account'}, not ${apiVersion}.`,
      reconnect,
    ];
  return ['ok', 'The webhook endpoint is enabled and has every type.'];
}

function signatureCheck({ signatures: { accepted, refused, lastAcceptedAt } }: ConnectionState): Finding {
  const last = lastAcceptedAt ? `the last valid one came at ${lastAcceptedAt.toISOString()}` : 'none lately was valid';
  const valid = accepted < NEWEST_OF_PROJECT ? accepted : `at least ${accepted}`;
  const detail = `${valid} valid and ${refused} invalid signatures within the last hour; ${last}.`;
  if (accepted > 0) return ['ok', detail];
  if (refused === 0) return ['unknown', detail];
  return [
    'failed',
    detail,
    'The signing secret is probably another endpoint’s: connect again with the right one, or without.',
  ];
}

function eventCheck({ events: { newestAt, failed, unroutable, undelivered } }: ConnectionState): Finding {
  const counts = `${upTo(failed)} failed, ${upTo(unroutable)} of them without a project; ${undelivered ?? 'unknown'} undelivered`;
  const newest = newestAt ? `The newest came at ${newestAt.toISOString()}` : 'None has come';
  const detail = `${newest}. ${counts}.`;
  if (failed > 0) return ['warning', detail, 'Read why they failed, mend that, and replay them.'];
  if (undelivered !== null && undelivered > 0)
    return [
      'warning',
      detail,
      'Check that the webhook URL can be reached from outside; undelivered events are fetched within minutes.',
    ];
  return [newestAt ? 'ok' : 'unknown', detail];
}

function driftCheck({ report, now }: ConnectionState): Finding {
  if (!report || now.getTime() - report.finishedAt.getTime() > REPORT_DAYS * DAY_MS)
    return ['unknown', 'No report has compared the records with the account within two days.'];
  const detail = `${upTo(report.findings)} differences at ${report.finishedAt.toISOString()}.`;
  if (report.findings === 0) return ['ok', detail];
  return ['warning', detail, 'Read the findings of the report, and apply what Stripe has.'];
}

function taxCheck({ untaxed }: ConnectionState): Finding {
  if (untaxed === null) return ['unknown', 'The subscriptions without tax could not be counted.'];
  if (untaxed === 0) return ['ok', 'Stripe has stopped the tax of no subscription.'];
  return [
    'warning',
    `Stripe bills ${upTo(untaxed)} subscriptions without tax, because it no longer recognizes where their customers are.`,
    'List them with taxStopped=true, and give each customer a whole address in its billing details: tax then starts again.',
  ];
}

function storageCheck({ storage: { bytes, quotaBytes } }: ConnectionState): Finding {
  const [mebibytes, quota] = [bytes, quotaBytes].map(it => Math.round(it / 1_048_576));
  const detail = `${mebibytes} of ${quota} MiB are used by the team’s webhook events, raw objects, events and deliveries.`;
  if (bytes < LITTLE_ROOM * quotaBytes) return ['ok', detail];
  const fix =
    'Send fewer or smaller objects, or have the operator raise the quota; the oldest payloads are being deleted.';
  if (bytes < quotaBytes) return ['warning', detail, fix];
  return ['failed', `${detail} Webhooks are refused with 429 until there is room; Stripe sends them again.`, fix];
}

function clockCheck({ clockSkewSeconds: skew }: ConnectionState): Finding {
  if (skew === null) return ['unknown', 'The payment processor’s time could not be read.'];
  const detail = `This clock differs by ${Math.abs(skew)} s from the payment processor’s.`;
  if (Math.abs(skew) <= SKEW_WARNING_SECONDS) return ['ok', detail];
  const isFailed = Math.abs(skew) >= SIGNATURE_TOLERANCE_SECONDS;
  return [isFailed ? 'failed' : 'warning', detail, 'Synchronize the clock of this machine, for example with NTP.'];
}

const CHECKS = {
  key: keyCheck,
  endpoint: endpointCheck,
  signatures: signatureCheck,
  events: eventCheck,
  drift: driftCheck,
  tax: taxCheck,
  storage: storageCheck,
  clock: clockCheck,
} satisfies Record<HealthCheckName, (state: ConnectionState) => Finding>;
