import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';

/** Cancels a subscription at the processor at once. */
export const cancelNowKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'cancel-now',
      input: changeInput,
      send: (processor, { input: { processorSubscriptionId }, idempotencyKey }) =>
        processor.cancelSubscription(processorSubscriptionId, idempotencyKey),
      isDone: ({ status }) => status !== null && hasEnded(status),
    },
    dependencies,
  );

/**
 * Cancels at once, which can't be taken back.
 * @throws Problem what `changeAtProcessor` throws
 */
export function cancelNow(dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const change = changeAtProcessor(dependencies);
  const kind = cancelNowKind(dependencies);
  return (scope: ProjectScope, key: SubscriptionKey, context: AuditContext): Promise<Subscription> =>
    change(kind, scope, key, {
      toInput: common => common,
      changesOf: ({ status }) => [{ field: 'status', from: status, to: 'canceled' }],
      context,
    });
}
