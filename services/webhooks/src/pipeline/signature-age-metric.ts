import { metrics } from '@opentelemetry/api';
import { isTimely } from '#domain/signature.ts';

/**
 * Records the age of signatures that one of the team's secrets made, refused ones too: when this machine's clock goes
 * wrong, they shift before the first is refused. A histogram takes no negative values, hence the attribute `direction`.
 */
export function signatureAgeMetric(): (ageSeconds: number) => void {
  const ages = metrics.getMeter('@billing/webhooks').createHistogram('billing.webhook.signature.age', {
    unit: 's',
    description: "Distance of correctly signed webhooks' timestamps from this clock",
    advice: { explicitBucketBoundaries: [1, 2, 5, 10, 30, 60, 120, 300, 600, 3_600] },
  });
  return ageSeconds =>
    ages.record(Math.abs(ageSeconds), {
      direction: ageSeconds < 0 ? 'future' : 'past',
      accepted: isTimely(ageSeconds),
    });
}
