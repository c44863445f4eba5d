import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditChange, AuditContext } from '@billing/contracts/resources/audit-entry';
import { cancellation, type Cancellation } from '@billing/contracts/resources/cancellation';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { changesOf, changesWithin } from '@billing/service/audit';
import type { Dependencies } from '../dependencies.ts';
import type { SubscriptionKey } from './subscription-rows.ts';
import type { Subscription } from './subscription.entity.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';

const input = changeInput.extend({ cancellation: cancellation.nullable() });

/** Cancels a subscription at the processor at once. */
export const cancelNowKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'cancel-now',
      input,
      send: (processor, { input: { processorSubscriptionId, cancellation: details }, idempotencyKey }) =>
        processor.cancelSubscription(processorSubscriptionId, idempotencyKey, details),
      isDone: ({ status }) => status !== null && hasEnded(status),
    },
    dependencies,
  );

/** The reason and comment of a cancellation, for the audit log: a comment may have personal data. */
export const detailChanges = (
  { cancellation: before }: Subscription,
  details: Cancellation | null,
): readonly AuditChange[] => (details ? changesWithin('cancellation', changesOf(before, details, ['comment'])) : []);

/**
 * Cancels at once, which can't be taken back. Null leaves the details that there are.
 * @throws Problem what `changeAtProcessor` throws
 */
export function cancelNow(dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const change = changeAtProcessor(dependencies);
  const kind = cancelNowKind(dependencies);
  return (
    scope: ProjectScope,
    key: SubscriptionKey,
    details: Cancellation | null,
    context: AuditContext,
  ): Promise<Subscription> =>
    change(kind, scope, key, {
      toInput: common => ({ ...common, cancellation: details }),
      changesOf: current => [
        { field: 'status', from: current.status, to: 'canceled' },
        ...detailChanges(current, details),
      ],
      context,
    });
}
