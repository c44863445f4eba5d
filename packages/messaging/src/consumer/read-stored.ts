import { z } from 'zod';
import { UnreadableObject } from './read-again.ts';
import type { Handle } from './delivery.ts';
import type { WithStoredObject } from './stored-objects.ts';

interface ReadStoredParts {
  /** Undefined where a test has no other services. */
  readonly withStoredObject: WithStoredObject | undefined;
}

const reference = z.object({ eventId: z.string() });

/**
 * Has an event whose object was too large for the bus handled with that object, read from the webhooks service outside of any
 * transaction. Handlers see no difference.
 * @throws UnreadableObject when the object was deleted meanwhile; Problem `unavailable` when the webhooks service is
 */
export function readStoredObject({ withStoredObject }: ReadStoredParts) {
  return (next: Handle): Handle =>
    async delivery => {
      const { event, teamId } = delivery;
      const data = Object(event.data);
      if (Reflect.get(data, 'objectOmitted') !== true) return next(delivery);
      if (!withStoredObject) throw new UnreadableObject('The object is not on the bus.');
      const { eventId } = reference.parse(data);
      return withStoredObject({ teamId, eventId }, async stored => {
        if (!stored) throw new UnreadableObject('The payload of the event was deleted.');
        await next({ ...delivery, event: { ...event, data: { ...data, ...stored, objectOmitted: undefined } } });
      });
    };
}
