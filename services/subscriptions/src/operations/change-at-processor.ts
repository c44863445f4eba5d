import type { ProjectScope } from '@billing/contracts/ids';
import { ProcessorError } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Reread } from '#domain/observation.ts';
import { hasEnded, requireRunning } from '#domain/subscription.ts';
import { findSubscription, type SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { readWith, saveReread } from './save-reread.ts';

/** What the operation log stores of every change of a subscription. */
export const changeInput = z.object({
  processorSubscriptionId: z.string(),
  /** The record's revision before the processor was called. */
  revision: z.int(),
});
type ChangeInput = z.output<typeof changeInput>;

/** How one kind of change is sent. */
interface Change<Input extends ChangeInput> {
  /** Part of the idempotency key. */
  readonly name: string;
  readonly input: z.ZodType<Input>;
  readonly send: (processor: Processor, operation: RemoteOperation<Input>) => Promise<SubscriptionSnapshot>;
}

/** Makes the operation kind of a change: what the processor returns is saved if the record has not changed meanwhile. */
export function changeKind<Input extends ChangeInput>(
  { name, input, send }: Change<Input>,
  { now }: Pick<Dependencies, 'now'>,
): OperationKind<Input, Reread, Subscription> {
  const save = saveReread({ now });
  return {
    name,
    input,
    async send(processor, operation) {
      const snapshot = await send(processor, operation);
      return { snapshot, revision: operation.input.revision, readAt: now() };
    },
    async commit(tx, operation, reread, publish) {
      const row = await save(tx, toObject(operation), reread, publish);
      return row === 'outdated' ? STALE : row;
    },
    reread: (processor, operation, em) => readWith({ processor, em, now }, toObject(operation)),
    cancel: async () => undefined,
  };
}

/**
 * Changes a subscription at the processor and saves what it returns. Changes of one subscription run one at a time.
 * @throws Problem 404 `subscription_not_found`; 422 `subscription_ended`; `processor_error` after a refusal, with nothing
 * changed; `unavailable` when the processor does not respond, and the change is made later
 */
export function changeAtProcessor(dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const { outbox, processors, operationLog, now } = dependencies;
  const { em } = outbox;
  const save = saveReread({ now });

  /** Checks, after a refusal, that the subscription has not ended at the processor by an event that did not arrive here. */
  const requireRunningThere = async (object: ProjectObject): Promise<void> => {
    const processor = await processors.of(object.scope.teamId);
    const reread = await readWith({ processor, em: em.fork(), now }, object).catch(() => null);
    const status = reread?.snapshot.status;
    if (!reread || !status || !hasEnded(status)) return;
    // If the record has changed since the read, an event brings the end.
    await outbox.transaction((tx, publish) => save(tx, object, reread, publish));
    requireRunning(status);
  };

  return async <Input extends ChangeInput>(
    kind: OperationKind<Input, Reread, Subscription>,
    scope: ProjectScope,
    key: SubscriptionKey,
    toInput: (common: ChangeInput) => Input,
  ): Promise<Subscription> => {
    const { id, status, processorSubscriptionId } = await findSubscription(em.fork(), scope, key);
    requireRunning(status);
    try {
      return await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
        // No lock is needed: if the record changes from here on, the processor is read again.
        const current = await findSubscription(tx, scope, key);
        requireRunning(current.status);
        return toInput({ processorSubscriptionId, revision: current.revision });
      });
    } catch (err) {
      if (err instanceof ProcessorError && !err.isIndeterminate)
        await requireRunningThere({ scope, id: processorSubscriptionId });
      throw err;
    }
  };
}

const toObject = ({ teamId, projectId, input }: RemoteOperation<ChangeInput>): ProjectObject => ({
  scope: { teamId, projectId },
  id: input.processorSubscriptionId,
});
