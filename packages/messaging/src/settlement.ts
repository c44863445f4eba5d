import type { Envelope } from '@billing/contracts/fact';
import { settlement, type Settlement } from '@billing/contracts/processor-events';
import type { Failure } from './dead-letters.ts';

const settledEvent = settlement.pick({ eventId: true, projectId: true });

/** How an event of the processor ended. */
export function settlementOf({ data }: Envelope, failure: Failure | null): Settlement {
  const about = settledEvent.parse(data);
  if (failure) return { ...about, outcome: 'failed', error: failure.error, attempts: failure.attempts };
  return { ...about, outcome: 'processed', error: null, attempts: 1 };
}
