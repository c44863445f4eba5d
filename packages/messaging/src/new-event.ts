import type { EventType } from '@billing/contracts/event';
import type { z } from 'zod';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

/** An event as a relay publishes it. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly teamId: string;
  /** JSON. */
  readonly data: string;
  readonly trace: TraceCarrier;
  /** Milliseconds since 1970. */
  readonly occurredMs: number;
}

/** Publishes an event if the transaction commits. `trace` is that of the request or event that led to it. */
export type Publish = <Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: string,
  data: z.output<Data>,
  trace?: TraceCarrier,
) => void;
