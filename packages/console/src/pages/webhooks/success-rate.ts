import type { WebhookDelivery } from '@billing/client';

interface SuccessRate {
  /** Whole percent, rounded down: one failure among many is not 100. */
  readonly percent: number;
  /** Deliveries that were tried. */
  readonly tried: number;
}

/** Returns how many of the deliveries that were tried have arrived; undefined when none was. */
export function successRate(
  deliveries: readonly Pick<WebhookDelivery, 'status' | 'attempts'>[],
): SuccessRate | undefined {
  const tried = deliveries.filter(({ status, attempts }) => attempts > 0 && status !== 'canceled');
  if (tried.length === 0) return undefined;
  const arrived = tried.filter(({ status }) => status === 'succeeded').length;
  return { percent: Math.floor((arrived / tried.length) * 100), tried: tried.length };
}
