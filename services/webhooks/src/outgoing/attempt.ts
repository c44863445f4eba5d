import type { TeamId } from '@billing/contracts/ids';
import { isSuccess } from './endpoint-health.rules.ts';
import { afterFailure } from './retry-schedule.rules.ts';
import { signedHeaders } from './sent-signature.rules.ts';
import type { EndpointKeys } from './endpoint-secrets.ts';
import type { Pace } from './pace.ts';
import type { Sender, Sent } from './sender.ts';
import type { DeliveryItem, Outcome } from './send-queue.ts';

/** Where an attempt goes, for which team, and by whose secrets it is signed. */
interface Target {
  readonly teamId: TeamId;
  readonly url: URL;
  readonly keys: EndpointKeys;
}

/** Posts the bytes of an event, signed with every secret that is valid now. */
export function post(
  sender: Sender,
  { url, keys, teamId }: Target,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: Buffer },
): Promise<Sent> {
  return sender.send(url, signedHeaders(keys(at), { id, at, body }), body, teamId);
}

/** What became of an event that was to be sent. */
interface Attempted extends Outcome {
  /** When the attempt ended. */
  readonly endedAt: Date;
}

interface AttemptParts {
  readonly sender: Sender;
  readonly target: Target;
  readonly pace: Pace;
  readonly now: () => Date;
  readonly random: () => number;
}

/**
 * Sends an event once, and says when it is sent again if it failed. What was sent before keeps its bytes, or is not sent again:
 * the data of a deleted customer are gone. `isProbe`: it goes to an endpoint that fails, and spends no attempt of the schedule.
 */
export async function attempt(
  { sender, target, pace, now, random }: AttemptParts,
  item: DeliveryItem,
  { isProbe }: { readonly isProbe: boolean },
): Promise<Attempted> {
  const { attempts, failures, trigger, nextAttemptAt: plannedAt } = item;
  const at = now();
  if (item.body === null || (item.isErased && (attempts > 0 || trigger !== 'automatic')))
    return { status: 'canceled', attempts, failures, nextAttemptAt: null, attempt: null, endedAt: at };
  const end = pace.begin(performance.now());
  const sent = await post(sender, target, { id: item.eventId, at, body: Buffer.from(item.body) });
  end(performance.now(), sent.responseStatus);
  const endedAt = now();
  const tried = { attempts: attempts + 1, attempt: { at, sent }, endedAt };
  if (isSuccess(sent.responseStatus)) return { ...tried, status: 'succeeded', failures, nextAttemptAt: null };
  const { retryAfterMs } = sent;
  const isCounted = trigger !== 'manual' && !isProbe;
  const next = afterFailure({ failures, isCounted, plannedAt, at: endedAt, retryAfterMs, random: random() });
  return { ...tried, ...next, status: next.nextAttemptAt ? 'pending' : 'failed' };
}
