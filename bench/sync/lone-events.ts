import { signatureOf } from '@billing/testing/signed-webhooks';
import type { EventReceiver } from '../load/event-receiver.ts';
import { requireOk, type RequestLoad } from '../load/request-load.ts';
import { requestBytes } from '../webhooks/connection.ts';
import { eventBody, eventId } from '../webhooks/subscription-events.ts';

/** An event of a team that gets only one a second. */
export interface LoneEvent {
  /** Fractional milliseconds since 1970. */
  readonly sentAt: number;
  /** From sending until it was processed. */
  readonly ms: number;
}

/** All are signed before the first one is sent. Signatures are valid for five minutes. */
const MAX_EVENTS = 290;

/**
 * Posts the events from number `first` on, one a second, until the returned function is called. That function waits until
 * they are processed.
 * @throws Error when one did not get 200, failed, or was sent twice
 */
export function postLoneEvents(receiver: EventReceiver, load: RequestLoad, first: number): () => Promise<LoneEvent[]> {
  const { url, secret, shop } = receiver;
  const address = new URL(url);
  const requests = Array.from({ length: MAX_EVENTS }, (_, index) => {
    const body = eventBody(shop, first + index);
    return requestBytes(address, { 'stripe-signature': signatureOf(body, secret) }, body).toString();
  });
  const sending = load.send({ origin: address.origin, requests, pace: { perSecond: 1 } });
  sending.catch(() => undefined);
  return async () => {
    load.stop();
    const responses = requireOk(await sending).toSorted((a, b) => a.request - b.request);
    if (responses.length > MAX_EVENTS) throw new Error('The flood took so long that lone events were sent twice.');
    await receiver.untilApplied(first, responses.length);
    const processedAt = await readProcessedAt(receiver, first, responses.length);
    return responses.map(({ sentAt, request }) => ({ sentAt, ms: (processedAt[request] ?? NaN) - sentAt }));
  };
}

/** Returns when each event of the range was processed, in order, in milliseconds since 1970. */
async function readProcessedAt({ database, shop }: EventReceiver, first: number, count: number): Promise<number[]> {
  const { rows } = await database.query<{ at: number }>(
    `select extract(epoch from processed_at)::float8 * 1000 as at
       from webhooks.webhook_events where team_id = $1 and id between $2 and $3 order by id`,
    [shop.teamId, eventId(first), eventId(first + count - 1)],
  );
  return rows.map(({ at }) => at);
}
