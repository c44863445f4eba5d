import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { PermanentFailure } from '@billing/messaging/consumer/dead-letter';

/**
 * Parses the object that an event carries.
 * @throws PermanentFailure when it has no shape that we know: another attempt would not change that
 */
export function readObject<Snapshot>(
  { object }: Pick<ProcessorEventData, 'object'>,
  read: (raw: unknown) => Snapshot,
): Snapshot {
  try {
    return read(object);
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    throw new PermanentFailure(`The event's object cannot be read: ${reason}`, { cause: err });
  }
}
