import type { Finding, Limits } from '../finding.ts';

/** What the stream of all events may hold, and holds. */
export interface StreamReading {
  readonly name: string;
  /** Whether it refuses new events when it is full, rather than losing old ones. */
  readonly discardsNew: boolean;
  readonly isOnDisk: boolean;
  /** How long it keeps events, in milliseconds; 0 is forever. */
  readonly maxAgeMs: number;
  readonly bytes: number;
  /** -1 is no limit. */
  readonly maxBytes: number;
}

/** Finds settings by which events would be lost, and a stream that is nearly full. */
export function checkStream(stream: StreamReading, expectedMaxAgeMs: number, { streamFill }: Limits): Finding[] {
  const { name: subject, bytes, maxBytes } = stream;
  const wrong = [
    ...(stream.discardsNew ? [] : ['its discard policy is "old": when it is full it drops events nobody has handled']),
    ...(stream.isOnDisk ? [] : ['it is in memory: a restart of nats-server loses every event']),
    ...(stream.maxAgeMs !== 0 && stream.maxAgeMs < expectedMaxAgeMs
      ? ['it keeps events for less than seven days']
      : []),
  ];
  const fill = maxBytes > 0 ? bytes / maxBytes : 0;
  return [
    ...wrong.map((problem): Finding => ({
      check: 'stream-loses-events',
      subject,
      problem: `The stream ${subject} may lose events: ${problem}.`,
      action: 'Correct it with `nats stream edit`; services that start now would refuse to.',
    })),
    ...(fill >= streamFill
      ? [
          {
            check: 'stream-nearly-full',
            subject,
            problem: `The stream ${subject} is ${Math.round(fill * 100)} % full; services publish until 90 %.`,
            action: 'Find the consumer that stands still, or raise max_bytes. The keeper of the stream must run, too.',
          } satisfies Finding,
        ]
      : []),
  ];
}
