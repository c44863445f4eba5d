import { nameSome, type Finding } from '../finding.ts';

/** A metric whose stored value is not the sum of what its records contribute. */
export interface WrongMetric {
  readonly projectId: string;
  readonly metric: string;
  readonly bucket: string;
  readonly stored: string;
  readonly recomputed: string;
}

/** A record whose newest state analytics has not counted, although it is old enough. */
export interface UncountedRecord {
  readonly projectId: string;
  readonly kind: 'customer' | 'subscription';
  readonly id: string;
}

const rebuild = (projectId: string): string => `npm run analytics:rebuild -- --project ${projectId}`;

/** Finds projects whose metrics differ from a recomputation. */
export function checkMetrics(wrong: readonly WrongMetric[]): Finding[] {
  return [...Map.groupBy(wrong, ({ projectId }) => projectId)].map(([subject, ofProject]) => {
    const named = ofProject.map(({ metric, bucket, stored, recomputed }) => {
      const name = bucket ? `${metric} of ${bucket}` : metric;
      return `${name} is ${stored}, recomputed ${recomputed}`;
    });
    return {
      check: 'metrics-wrong',
      subject,
      problem: `Metrics of ${subject} are wrong: ${nameSome(named)}.`,
      action: rebuild(subject),
    };
  });
}

/** Finds projects with records that analytics has not counted. */
export function checkUncounted(uncounted: readonly UncountedRecord[]): Finding[] {
  return [...Map.groupBy(uncounted, ({ projectId }) => projectId)].map(([subject, ofProject]) => ({
    check: 'metrics-behind',
    subject,
    problem: `Analytics has not counted the newest state of ${nameSome(ofProject.map(({ id }) => id))} in ${subject}.`,
    action: `See whether its events are dead letters or unpublished; then ${rebuild(subject)}`,
  }));
}
