import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { notFound, unavailable } from '@billing/contracts/problem';
import { ProcessorError } from '@billing/processor/errors';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { hasEnded, requireRunning } from '#domain/subscription.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSubscription, type SubscriptionKey } from './find-subscription.ts';
import { askForSubscription, followAnswer, type Answer } from './follow-subscription.ts';

type Outside = Pick<Dependencies, 'em' | 'processors'>;
type Write = (processor: Processor, processorSubscriptionId: string, key: string) => Promise<SubscriptionSnapshot>;

/** How often an answer may be overtaken by events before the caller is told to try again. */
const MAX_QUESTIONS = 5;

/**
 * Cancels at the end of the period, or takes that back; rpc for what holds already is fine.
 * @throws Problem 404 `subscription_not_found`, 422 `subscription_ended`, 502 and 503 of the processor
 */
export function scheduleCancellation(outside: Outside) {
  const order = orderAtProcessor(outside);
  return (scope: ProjectScope, key: SubscriptionKey, cancelAtPeriodEnd: boolean): Promise<Subscription> =>
    order(scope, key, 'schedule-cancellation', (processor, id, idempotency) =>
      processor.setCancelAtPeriodEnd(id, cancelAtPeriodEnd, idempotency),
    );
}

/**
 * Cancels now; this cannot be undone.
 * @throws Problem 404 `subscription_not_found`, 422 `subscription_ended`, 502 and 503 of the processor
 */
export function cancelNow(outside: Outside) {
  const order = orderAtProcessor(outside);
  return (scope: ProjectScope, key: SubscriptionKey): Promise<Subscription> =>
    order(scope, key, 'cancel-now', (processor, id, idempotency) => processor.cancelSubscription(id, idempotency));
}

/**
 * Has the processor change a subscription, then keeps what it answered. A crash in between loses nothing: the
 * processor's event brings the same state.
 */
function orderAtProcessor({ em, processors }: Outside) {
  const ask = askForSubscription({ em, processors });
  return async (scope: ProjectScope, key: SubscriptionKey, name: string, write: Write): Promise<Subscription> => {
    const { id, processorSubscriptionId, status } = await findSubscription(em.fork(), scope, key);
    requireRunning(status);
    const processor = await processors.of(scope.teamId);
    const { number, version } = await countOrder(em, scope, key);
    try {
      // A key per order: the same toggle may rightly be ordered again, and a key replays its first answer for a day.
      const snapshot = await write(processor, processorSubscriptionId, idempotencyKey(name, id, number));
      await keep(scope, { snapshot, overVersion: version, readAt: new Date() });
    } catch (err) {
      if (!(err instanceof ProcessorError) || err.isIndeterminate) throw err;
      // It may be refused because it has ended without our having heard of it.
      const answer = await ask(scope, processorSubscriptionId).catch(() => null);
      if (!answer?.snapshot.status || !hasEnded(answer.snapshot.status)) throw err;
      await keep(scope, answer);
      requireRunning(answer.snapshot.status);
    }
    return findSubscription(em.fork(), scope, key);
  };

  /** An event may have come in since the question; then only a newer answer can tell which of the two holds. */
  async function keep(scope: ProjectScope, first: Answer): Promise<void> {
    let answer = first;
    for (let question = 1; question <= MAX_QUESTIONS; question += 1) {
      const current = answer;
      const outcome = await em.fork().transactional(tx => followAnswer(tx, scope, current));
      if (outcome === 'kept') return;
      answer = await ask(scope, answer.snapshot.id);
    }
    throw unavailable('The subscription is changing too fast; try again.');
  }
}

/** Counts an order before it is given, and says over which version of the record. */
async function countOrder(em: EntityManager, { teamId, projectId }: ProjectScope, { id }: SubscriptionKey) {
  const [row] = await em.fork().execute<{ orders: number; version: number }[]>(
    `update subscriptions set orders = orders + 1 where team_id = ? and project_id = ? and id = ?
       returning orders, version`,
    [teamId, projectId, id],
  );
  if (!row) throw notFound('subscription');
  return { number: row.orders, version: row.version };
}
