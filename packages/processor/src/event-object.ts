import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { PermanentFailure } from '@billing/messaging/consumer/dead-letter';
import { z } from 'zod';

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
    throw new PermanentFailure(`The event's object cannot be read: ${reasonOf(err)}`, { cause: err });
  }
}

/** Names each invalid field but no value, because the reason is shown with the webhook event. */
function reasonOf(err: unknown): string {
  if (!(err instanceof z.ZodError)) return err instanceof Error ? err.message : String(err);
  return err.issues.map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`).join('; ');
}
