import type { ProjectScope } from '@billing/contracts/ids';
import { cancellation, type Cancellation } from '@billing/contracts/resources/cancellation';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { isRefused } from '@billing/processor/errors';
import { changesOf } from '@billing/service/audit';
import { z } from 'zod';
import { isOurs } from '#domain/schedule.ts';
import { requireUnscheduled, saysSo } from '#domain/subscription.ts';
import type { SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { saidChanges } from './cancel-now.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';
import { dropSchedule } from './schedule-change.ts';

const input = changeInput.extend({
  cancelAtPeriodEnd: z.boolean(),
  cancellation: cancellation.nullable(),
  declinesOffer: z.boolean(),
});

/** Schedules the end of a subscription at the processor, which drops a change of plan that is scheduled; or takes the end back. */
export const scheduleCancellationKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'schedule-cancellation',
      input,
      async send(processor, { input: wanted, idempotencyKey: key }) {
        const { processorSubscriptionId: id, cancelAtPeriodEnd, cancellation: said } = wanted;
        try {
          return await processor.setCancelAtPeriodEnd(id, cancelAtPeriodEnd, key, said);
        } catch (err) {
          if (!isRefused(err)) throw err;
          // The processor refuses both while a schedule manages the subscription.
          const current = await processor.findSubscription(id);
          if (!current.schedule || !isOurs(current.schedule)) throw err;
          if (!cancelAtPeriodEnd && !current.cancelAtPeriodEnd) return current;
          await dropSchedule(processor, current, key);
          return processor.setCancelAtPeriodEnd(id, cancelAtPeriodEnd, `${key}:released`, said);
        }
      },
      isDone: (snapshot, { cancelAtPeriodEnd, cancellation: said }) =>
        snapshot.cancelAtPeriodEnd === cancelAtPeriodEnd && saysSo(snapshot, said),
      saveOfferOf: ({ declinesOffer }) => (declinesOffer ? 'declined' : null),
    },
    dependencies,
  );

interface WantedCancellation {
  readonly cancelAtPeriodEnd: boolean;
  /** What the customer says who cancels; null leaves what was said before. */
  readonly cancellation?: Cancellation | null;
  /** Whether the customer cancels although a save offer was shown. */
  readonly declinesOffer?: boolean | undefined;
}

/**
 * Cancels at the end of the period, or takes that back. What holds already may be requested again.
 * @throws Problem what `changeAtProcessor` throws; 422 `subscription_has_schedule`
 */
export function scheduleCancellation(
  dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>,
) {
  const change = changeAtProcessor(dependencies);
  const kind = scheduleCancellationKind(dependencies);
  return (
    scope: ProjectScope,
    key: SubscriptionKey,
    { cancelAtPeriodEnd, cancellation: said = null, declinesOffer = false }: WantedCancellation,
    context: AuditContext,
  ): Promise<Subscription> =>
    change(kind, scope, key, {
      toInput: common => ({ ...common, cancelAtPeriodEnd, cancellation: said, declinesOffer }),
      changesOf: current => [...changesOf(current, { cancelAtPeriodEnd }), ...saidChanges(current, said)],
      context,
      requireAllowed: requireUnscheduled,
    });
}
