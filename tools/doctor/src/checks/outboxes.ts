import type { Finding, Limits } from '../finding.ts';

/** The unpublished events of a service. */
export interface OutboxReading {
  readonly service: string;
  readonly rows: number;
  /** How long ago the oldest happened, in seconds; null when there is none. */
  readonly oldestSeconds: number | null;
}

/** Finds outboxes that do not drain. */
export function checkOutboxes(outboxes: readonly OutboxReading[], { outboxRows, waitingSeconds }: Limits): Finding[] {
  return outboxes.flatMap(({ service: subject, rows, oldestSeconds }): Finding[] => [
    ...(rows > outboxRows
      ? [
          {
            check: 'outbox-deep',
            subject,
            problem: `${subject} has ${rows} unpublished events; from OUTBOX_HIGH_WATER on it rejects writes.`,
            action: 'See whether NATS is down or the stream full; the outbox drains by itself then.',
          } satisfies Finding,
        ]
      : []),
    ...((oldestSeconds ?? 0) > waitingSeconds
      ? [
          {
            check: 'outbox-old',
            subject,
            problem: `An event of ${subject} has not been published for ${Math.round(oldestSeconds ?? 0)} s.`,
            action: `See whether ${subject} runs and reaches NATS: its log says \`leased work failed\` of the loop \`outbox\`.`,
          } satisfies Finding,
        ]
      : []),
  ]);
}
