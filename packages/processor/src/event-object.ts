import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { PermanentFailure } from '@billing/messaging/inbox';
import { z } from 'zod';

/**
 * Reads the object of an event.
 * @throws PermanentFailure when it has no shape we know: no further attempt would change that
 */
export function readObject<Snapshot>(
  { object }: Pick<ProcessorEventData, 'object'>,
  read: (raw: unknown) => Snapshot,
): Snapshot {
  try {
    return read(object);
  } catch (err) {
    throw new PermanentFailure(`The event's object cannot be read: ${reasonOf(err)}`, { cause: err });
  }
}

/** Names each field that is wrong, and no value: it is shown on the event's record. */
function reasonOf(err: unknown): string {
  if (!(err instanceof z.ZodError)) return err instanceof Error ? err.message : String(err);
  return err.issues.map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`).join('; ');
}
