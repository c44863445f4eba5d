import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditChange, AuditContext } from '@billing/contracts/resources/audit-entry';
import { cancellation, type Cancellation } from '@billing/contracts/resources/cancellation';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { changesOf, changesWithin } from '@billing/service/audit';
import type { SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';

const input = changeInput.extend({ cancellation: cancellation.nullable() });

/** Cancels a subscription at the processor at once. */
export const cancelNowKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'cancel-now',
      input,
      send: (processor, { input: { processorSubscriptionId, cancellation: said }, idempotencyKey }) =>
        processor.cancelSubscription(processorSubscriptionId, idempotencyKey, said),
      isDone: ({ status }) => status !== null && hasEnded(status),
    },
    dependencies,
  );

/** What is said about a cancellation, for the audit log: a comment may have personal data. */
export const saidChanges = (
  { cancellation: before }: Subscription,
  said: Cancellation | null,
): readonly AuditChange[] => (said ? changesWithin('cancellation', changesOf(before, said, ['comment'])) : []);

/**
 * Cancels at once, which can't be taken back. Null leaves what was said about it before.
 * @throws Problem what `changeAtProcessor` throws
 */
export function cancelNow(dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const change = changeAtProcessor(dependencies);
  const kind = cancelNowKind(dependencies);
  return (
    scope: ProjectScope,
    key: SubscriptionKey,
    said: Cancellation | null,
    context: AuditContext,
  ): Promise<Subscription> =>
    change(kind, scope, key, {
      toInput: common => ({ ...common, cancellation: said }),
      changesOf: current => [{ field: 'status', from: current.status, to: 'canceled' }, ...saidChanges(current, said)],
      context,
    });
}
