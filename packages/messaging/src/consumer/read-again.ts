import type { Envelope } from '@billing/contracts/event';
import type { Logger } from 'pino';
import { PermanentFailure } from '../failure-reason.ts';
import type { Delivery, Handle } from './delivery.ts';

/** An event carries an object of a shape that we don't know, as old API versions have it. */
export class UnreadableObject extends PermanentFailure {
  override readonly name = 'UnreadableObject';
}

/** Returns a webhook event whose object can be read, with the processor's help; null when it has no such object. */
export type ReadAgain = (event: Envelope, reason: UnreadableObject) => Promise<Envelope | null>;

interface ReadAgainParts {
  /** Undefined in a service without processors. */
  readonly readAgain: ReadAgain | undefined;
  readonly logger: Logger;
}

/**
 * Has an event whose object can't be read handled with the object as it is now, or with the rest of its nested lists, read
 * outside of any transaction. The event keeps its id and its time: what is newer than the event arrives with later events.
 * @throws UnreadableObject when the processor has no such object either
 */
export function readUnreadableAgain({ readAgain, logger }: ReadAgainParts) {
  return (next: Handle): Handle =>
    async delivery => {
      try {
        await next(delivery);
      } catch (err) {
        if (!(err instanceof UnreadableObject)) throw err;
        await next(await withObjectOfNow(delivery, err));
      }
    };

  async function withObjectOfNow(delivery: Delivery, reason: UnreadableObject): Promise<Delivery> {
    const event = await readAgain?.(delivery.event, reason);
    if (!event) throw reason;
    const { id: eventId, type, teamId } = event;
    logger.info({ eventId, type, teamId, reason: reason.message }, 'object read at the processor');
    return { ...delivery, event };
  }
}
