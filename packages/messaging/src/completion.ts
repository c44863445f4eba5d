import type { Envelope } from '@billing/contracts/event';
import { completion, type Completion } from '@billing/contracts/processor-events';
import type { Failure } from './dead-letters.ts';

const settledEvent = completion.pick({ eventId: true, projectId: true });

/** How an event of the processor ended. */
export function completionOf({ data }: Envelope, failure: Failure | null): Completion {
  const about = settledEvent.parse(data);
  if (failure) return { ...about, outcome: 'failed', error: failure.error, attempts: failure.attempts };
  return { ...about, outcome: 'processed', error: null, attempts: 1 };
}
