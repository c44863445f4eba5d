import { nameSome, type Finding } from '../finding.ts';
import { combine, type Contribution } from '../../../../services/analytics/src/domain/metrics.ts';

/** A metric whose stored value is not the sum of what its records contribute. */
export interface WrongMetric {
  readonly projectId: string;
  readonly metric: string;
  readonly bucket: string;
  readonly stored: string;
  readonly recomputed: string;
}

/** A record as its owner has it. */
export interface OwnedRecord {
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
  /** What its state adds to metrics, by the rules of analytics. */
  readonly contributions: readonly Contribution[];
}

/** What analytics counts of a record. */
export type CountedRecord = Pick<OwnedRecord, 'version' | 'contributions'>;

/** A record that analytics counts wrongly, or whose newest state it has not counted. */
export interface MiscountedRecord {
  readonly projectId: string;
  readonly id: string;
  readonly why: 'wrong' | 'behind';
}

/** Returns how analytics miscounts a record; nothing when it does not, or knows a newer state than the one that was read. */
export function compareRecord(owned: OwnedRecord, counted: CountedRecord | undefined): MiscountedRecord[] {
  const { projectId, id, version } = owned;
  if (!counted || counted.version < version) return [{ projectId, id, why: 'behind' }];
  if (counted.version > version) return [];
  const textOf = (contributions: readonly Contribution[]) =>
    combine(contributions)
      .map(({ metric, bucket, amount }) => `${metric} ${bucket} ${amount}`)
      .toSorted()
      .join('\n');
  return textOf(counted.contributions) === textOf(owned.contributions) ? [] : [{ projectId, id, why: 'wrong' }];
}

const rebuild = (projectId: string): string => `npm run analytics:rebuild -- --project ${projectId}`;

/** Finds projects whose metrics differ from the sums of their records. */
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

/** Finds projects whose records analytics counts otherwise than their owners have them. */
export function checkRecords(miscounted: readonly MiscountedRecord[]): Finding[] {
  return [...Map.groupBy(miscounted, ({ projectId, why }) => `${why} ${projectId}`).values()].flatMap(
    (ofProject): Finding[] => {
      const [first] = ofProject;
      if (!first) return [];
      const { projectId: subject, why } = first;
      const records = nameSome(ofProject.map(({ id }) => id));
      if (why === 'wrong')
        return [
          {
            check: 'metrics-wrong',
            subject,
            problem: `Analytics counts ${records} of ${subject} otherwise than their owner has them.`,
            action: rebuild(subject),
          },
        ];
      return [
        {
          check: 'metrics-behind',
          subject,
          problem: `Analytics has not counted the newest state of ${records} in ${subject}.`,
          action: `See whether its events are dead letters or unpublished; then ${rebuild(subject)}`,
        },
      ];
    },
  );
}
