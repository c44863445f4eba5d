import { nextAttemptAt } from './retry-schedule.rules.ts';

const HOUR_MS = 3_600_000;

/** Failures one after another, of at least two objects, after which an endpoint counts as failing. */
const FAILURES = 5;
/** Without a success for that long, the owners are warned. */
const WARNED_AFTER_MS = 24 * HOUR_MS;
/** Without a success for that long, and after that many attempts, a failing endpoint is disabled. */
const DISABLED_AFTER_MS = 120 * HOUR_MS;
const DISABLED_AFTER_ATTEMPTS = 10;
const GONE = 410;
/** A failing endpoint is tried at least hourly. */
const PROBE_MS = HOUR_MS;

/** How an endpoint has responded since its last success. */
export interface EndpointHealth {
  readonly status: 'enabled' | 'failing' | 'disabled';
  readonly disabledReason: 'manual' | 'failing' | 'gone' | null;
  /** When the first failure after the last success ended; null after a success. */
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** The object of the first of them, and whether another one failed too. */
  readonly failedObject: string | null;
  readonly hasFailedTwoObjects: boolean;
  /** Whether its failure was reported to the owners since its last success. */
  readonly isWarned: boolean;
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly at: Date;
  readonly objectKey: string;
  /** The status of the response; null when there was none. */
  readonly responseStatus: number | null;
}

/** The health of an endpoint that nothing was sent to. */
export const NEW_ENDPOINT: EndpointHealth = {
  status: 'enabled',
  disabledReason: null,
  failingSince: null,
  lastSuccessAt: null,
  failures: 0,
  failedObject: null,
  hasFailedTwoObjects: false,
  isWarned: false,
};

/** Returns whether a response is a success: any 2xx, whatever its body. */
export const isSuccess = (responseStatus: number | null): boolean =>
  responseStatus !== null && responseStatus >= 200 && responseStatus < 300;

/**
 * Returns the health after an attempt. 410 disables at once. A disabled endpoint stays so: the attempt had begun before, or
 * somebody requested it.
 */
export function afterAttempt(health: EndpointHealth, { at, objectKey, responseStatus }: AttemptEnd): EndpointHealth {
  if (isSuccess(responseStatus)) {
    const { status, disabledReason } = health.status === 'disabled' ? health : NEW_ENDPOINT;
    return { ...NEW_ENDPOINT, status, disabledReason, lastSuccessAt: at };
  }
  const failures = health.failures + 1;
  const failingSince = health.failingSince ?? at;
  const failedObject = health.failedObject ?? objectKey;
  const hasFailedTwoObjects = health.hasFailedTwoObjects || failedObject !== objectKey;
  const [failedForMs, isOn] = [at.getTime() - failingSince.getTime(), health.status !== 'disabled'];
  const isWarned = health.isWarned || (isOn && failedForMs >= WARNED_AFTER_MS);
  const failed = { ...health, failures, failingSince, failedObject, hasFailedTwoObjects, isWarned };
  if (health.status === 'disabled') return failed;
  if (responseStatus === GONE) return { ...failed, status: 'disabled', disabledReason: 'gone' };
  if (failures >= DISABLED_AFTER_ATTEMPTS && failedForMs >= DISABLED_AFTER_MS)
    return { ...failed, status: 'disabled', disabledReason: 'failing' };
  const isFailing = health.status === 'failing' || (failures >= FAILURES && hasFailedTwoObjects);
  return { ...failed, status: isFailing ? 'failing' : 'enabled' };
}

/** Returns when to try a failing endpoint again: with the pauses of deliveries, but hourly at least. */
export function nextProbeAt({ failures }: EndpointHealth, now: Date, random: number): Date {
  const next = nextAttemptAt({ failures: Math.max(1, failures - FAILURES + 1), at: now, random });
  const latest = new Date(now.getTime() + PROBE_MS);
  return next && next < latest ? next : latest;
}

/** Returns the health of an endpoint that its owner enables or disables: enabled, it starts anew. */
export function switched(health: EndpointHealth, enabled: boolean): EndpointHealth {
  if (enabled) return health.status === 'disabled' ? { ...NEW_ENDPOINT, lastSuccessAt: health.lastSuccessAt } : health;
  return health.status === 'disabled' ? health : { ...health, status: 'disabled', disabledReason: 'manual' };
}
