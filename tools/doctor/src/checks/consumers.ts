import type { Finding, Limits } from '../finding.ts';

/** A durable consumer of the stream. */
export interface ConsumerReading {
  readonly name: string;
  /** Events that it has not handled yet. */
  readonly waiting: number;
  /** How long the oldest of them has been in the stream, in milliseconds; null when none waits. */
  readonly oldestMs: number | null;
}

/** Finds consumers that do not exist, and those that stand still. */
export function checkConsumers(
  consumers: readonly ConsumerReading[],
  /** Each durable name that a service declares, with the service. */
  declared: ReadonlyMap<string, string>,
  { waitingSeconds }: Limits,
): Finding[] {
  const existing = new Set(consumers.map(({ name }) => name));
  const missing = [...declared].filter(([name]) => !existing.has(name));
  const behind = consumers.filter(({ oldestMs }) => oldestMs !== null && oldestMs > waitingSeconds * 1_000);
  return [
    ...missing.map(([name, service]): Finding => ({
      check: 'consumer-missing',
      subject: name,
      problem: `The stream has no consumer ${name} of ${service}: its events may be trimmed before it reads them.`,
      action: `Start ${service}, which creates it.`,
    })),
    ...behind.map(({ name, waiting, oldestMs }): Finding => {
      const service = declared.get(name);
      const minutes = Math.round((oldestMs ?? 0) / 6_000) / 10;
      return {
        check: 'consumer-behind',
        subject: name,
        problem: `The consumer ${name} has not handled ${waiting} events, the oldest for ${minutes} min.`,
        action: service
          ? `Read the log of ${service}: its handler fails, or it does not run.`
          : 'No service of this version reads it: delete it with `nats consumer rm`, or it keeps every event in the stream.',
      };
    }),
  ];
}
