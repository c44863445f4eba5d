import type { ProjectScope } from '@billing/contracts/ids';
import { cancellation, type Cancellation } from '@billing/contracts/resources/cancellation';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { isRefused } from '@billing/processor/errors';
import { changesOf } from '@billing/service/audit';
import { z } from 'zod';
import { dropSchedule } from '#plan-changes/follow-subscription';
import type { Dependencies } from '../dependencies.ts';
import { isOurs } from './schedule.rules.ts';
import { requireUnscheduled, hasDetails } from './subscription.rules.ts';
import type { SubscriptionKey } from './subscription-rows.ts';
import type { Subscription } from './subscription.entity.ts';
import { detailChanges } from './cancel-now.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';

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
        const { processorSubscriptionId: id, cancelAtPeriodEnd, cancellation: details } = wanted;
        try {
          return await processor.setCancelAtPeriodEnd(id, cancelAtPeriodEnd, key, details);
        } catch (err) {
          if (!isRefused(err)) throw err;
          // The processor refuses both while a schedule manages the subscription.
          const current = await processor.findSubscription(id);
          if (!current.schedule || !isOurs(current.schedule)) throw err;
          if (!cancelAtPeriodEnd && !current.cancelAtPeriodEnd) return current;
          await dropSchedule(processor, current, key);
          return processor.setCancelAtPeriodEnd(id, cancelAtPeriodEnd, `${key}:released`, details);
        }
      },
      isDone: (snapshot, { cancelAtPeriodEnd, cancellation: details }) =>
        snapshot.cancelAtPeriodEnd === cancelAtPeriodEnd && hasDetails(snapshot, details),
      saveOfferOf: ({ declinesOffer }) => (declinesOffer ? 'declined' : null),
    },
    dependencies,
  );

interface WantedCancellation {
  readonly cancelAtPeriodEnd: boolean;
  /** Why the customer cancels; null leaves the details that there are. */
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
    { cancelAtPeriodEnd, cancellation: details = null, declinesOffer = false }: WantedCancellation,
    context: AuditContext,
  ): Promise<Subscription> =>
    change(kind, scope, key, {
      toInput: common => ({ ...common, cancelAtPeriodEnd, cancellation: details, declinesOffer }),
      changesOf: current => [...changesOf(current, { cancelAtPeriodEnd }), ...detailChanges(current, details)],
      context,
      requireAllowed: requireUnscheduled,
    });
}
