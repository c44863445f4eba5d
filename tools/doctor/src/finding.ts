/** Every check, by the name that its findings have. */
type CheckName =
  | 'service-unreachable'
  | 'service-not-ready'
  | 'database-unreachable'
  | 'broker-unreachable'
  | 'version-too-old'
  | 'clock-differs'
  | 'migration-pending'
  | 'role-sees-other-schema'
  | 'role-too-powerful'
  | 'stream-loses-events'
  | 'stream-nearly-full'
  | 'consumer-missing'
  | 'consumer-behind'
  | 'outbox-deep'
  | 'outbox-old'
  | 'dead-letters'
  | 'lease-expired'
  | 'endpoint-fails'
  | 'endpoint-stands-still'
  | 'deleted-customer-billed'
  | 'states-not-published'
  | 'period-ended-long-ago'
  | 'metrics-wrong'
  | 'metrics-behind'
  | 'processor-differs';

/** Something that is wrong, and what to do about it. */
export interface Finding {
  readonly check: CheckName;
  /** What it is about, for example a service, a role or a subscription. */
  readonly subject: string;
  readonly problem: string;
  readonly action: string;
}

/** From when on something counts as wrong. */
export interface Limits {
  /** How long an event, an outbox row or a lease that has ended may wait, in seconds. */
  readonly waitingSeconds: number;
  /** How much a clock may differ, in seconds: identity tokens are rejected from a minute on. */
  readonly clockSeconds: number;
  /** Unpublished events of a service. */
  readonly outboxRows: number;
  /** How full the stream may be, as a part of its limit. */
  readonly streamFill: number;
  /** How long ago the period of an active subscription may have ended, in days. */
  readonly periodDays: number;
  /** How many subscriptions are compared with the processor. */
  readonly sample: number;
}

export const DEFAULT_LIMITS: Limits = {
  waitingSeconds: 300,
  clockSeconds: 30,
  outboxRows: 10_000,
  streamFill: 0.75,
  periodDays: 2,
  sample: 20,
};

/** How many of the same kind a finding names. */
const MAX_NAMED = 3;

/** Returns the first few of a list as text, and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
