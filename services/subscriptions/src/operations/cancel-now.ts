import type { ProjectScope } from '@billing/contracts/ids';
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
  return (scope: ProjectScope, key: SubscriptionKey): Promise<Subscription> =>
    change(kind, scope, key, common => common);
}
