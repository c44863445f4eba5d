import type { Envelope } from '@billing/contracts/event';
import { completion, type Completion } from '@billing/contracts/processor-events';
import type { Failure } from './dead-letters.ts';

const completedEvent = completion.pick({ eventId: true, projectId: true, routedBy: true });

/** How the handling of Stripe's event ended: processed, or failed for good. */
export function completionOf({ data }: Pick<Envelope, 'data'>, failure: Failure | null): Completion {
  const event = completedEvent.parse(data);
  if (failure) return { ...event, outcome: 'failed', error: failure.reason, attempts: failure.attempts };
  return { ...event, outcome: 'processed', error: null, attempts: 1 };
}
