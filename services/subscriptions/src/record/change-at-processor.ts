import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditChange, AuditContext } from '@billing/contracts/resources/audit-entry';
import type { SaveOfferOutcome } from '@billing/contracts/resources/cancellation';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { isRefused } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { audited, pendingAuditOf, type AuditedKind, type WithAudit } from '@billing/service/audited-operation';
import { CAUSED_BY_SYSTEM, FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { z } from 'zod';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Dependencies } from '../dependencies.ts';
import type { Reread } from './observation.rules.ts';
import { requireRunning } from './subscription.rules.ts';
import { findSubscription, type SubscriptionKey, enqueueIfOverdue } from './subscription-rows.ts';
import { Subscription } from './subscription.entity.ts';
import { readWith } from './read-subscription.ts';
import { saveReread } from './save-reads.ts';

/** What the operation log stores of every change of a subscription. */
export const changeInput = z.object({
  processorSubscriptionId: z.string(),
  /** The record's version before the processor was called. */
  version: z.int(),
});
type ChangeInput = z.output<typeof changeInput>;

/** How one kind of change is sent. */
interface Change<Input extends ChangeInput> {
  /** Part of the idempotency key. */
  readonly name: string;
  readonly input: z.ZodType<Input>;
  readonly send: (processor: Processor, operation: RemoteOperation<Input>) => Promise<SubscriptionSnapshot>;
  /** Whether the subscription shows the change. */
  readonly isDone: (snapshot: SubscriptionSnapshot, input: Input) => boolean;
  /** What it leads to for the save offer of the subscription, if anything. */
  readonly saveOfferOf?: (input: Input) => SaveOfferOutcome | null;
  /** Whether the record names the operation, so that a repeat of its request gets the same result. */
  readonly isNamed?: boolean;
}

/** Makes the operation kind of a change that a request makes. */
export const changeKind = <Input extends ChangeInput>(
  change: Change<Input>,
  dependencies: Pick<Dependencies, 'now'>,
): OperationKind<WithAudit<Input>, Reread, Subscription> => audited(plainChangeKind(change, dependencies));

/** Makes the operation kind of a change: what the processor returns is saved if the record has not changed meanwhile. */
export function plainChangeKind<Input extends ChangeInput>(
  { name, input, send, isDone, saveOfferOf = () => null, isNamed = false }: Change<Input>,
  { now }: Pick<Dependencies, 'now'>,
): AuditedKind<Input, Reread, Subscription> {
  const save = saveReread({ now });
  const readCurrent = (processor: Processor, operation: RemoteOperation<Input>, em: EntityManager) =>
    readWith({ processor, em, now }, toObject(operation));
  return {
    name,
    input,
    async send(processor, operation) {
      const snapshot = await send(processor, operation);
      return { snapshot, version: operation.input.version, readAt: now() };
    },
    async commit(tx, operation, response, publish, cause) {
      const named = isNamed && { operationKey: operation.id };
      const row = await save(tx, toObject(operation).scope, response, { publish, cause, ...named });
      if (row === 'outdated') return STALE;
      const saveOffer = saveOfferOf(operation.input);
      const { id, teamId, projectId } = row;
      if (saveOffer) await tx.nativeUpdate(Subscription, { id, teamId, projectId, saveOffer: null }, { saveOffer });
      return row;
    },
    reread: readCurrent,
    async findExisting(processor, operation, em) {
      const current = await readCurrent(processor, operation, em);
      return isDone(current.snapshot, operation.input) ? current : null;
    },
    cancel: (tx, operation) => enqueueIfOverdue(tx, toObject(operation)),
  };
}

/** Makes the operation kind of a change that follows from others: nobody waits for it, so it is tried until it succeeds. */
export function followingKind<Input extends ChangeInput>(
  change: Change<Input>,
  dependencies: Pick<Dependencies, 'now'>,
): OperationKind<Input, Reread, Subscription> {
  const kind = plainChangeKind(change, dependencies);
  return {
    ...kind,
    mustSucceed: true,
    commit: (tx, operation, response, publish) => kind.commit(tx, operation, response, publish, CAUSED_BY_SYSTEM),
  };
}

/** What a request changes. */
interface Requested<Input, Result> {
  readonly toInput: (common: ChangeInput) => Input;
  /** For the audit log. */
  readonly changesOf: (current: Subscription) => readonly AuditChange[];
  readonly context: AuditContext;
  /** Checks the record once it is this change's turn; throws the Problem that refuses it. */
  readonly requireCurrent?: (current: Subscription) => void;
  readonly requireAllowed?: RequireAllowed;
  /** For a kind that `isNamed`: the same key is the same change, whose result `find` finds again. */
  readonly once?: {
    readonly operationKey: string;
    readonly find: (em: EntityManager) => Promise<Result | null>;
  };
}

/** Checks, after a refusal, whether the processor's state tells why; throws the Problem that says so. */
type RequireAllowed = (snapshot: SubscriptionSnapshot) => void;

/**
 * Changes a subscription at the processor and saves what it returns. Changes of one subscription run one at a time.
 * @throws Problem 404 `subscription_not_found`; 422 `subscription_ended`; what `requireAllowed` throws; `processor_error` after a refusal, with nothing
 * changed; `unavailable` when the processor does not respond, and the change is made later
 */
export function changeAtProcessor(dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const { outbox, processors, operationLog, now } = dependencies;
  const { em } = outbox;
  const save = saveReread({ now });

  /** Checks, after a refusal, what the processor has: events may not have arrived here, among them that of the end. */
  const requireAllowedThere = async (object: ProjectObject, requireAllowed: RequireAllowed): Promise<void> => {
    const processor = await processors.of(object.scope.teamId);
    const reread = await readWith({ processor, em: em.fork(), now }, object).catch(() => null);
    if (!reread) return;
    const { status } = reread.snapshot;
    if (status && hasEnded(status)) {
      // If the record has changed since the read, an event brings the end.
      await outbox.transaction((tx, publish) => save(tx, object.scope, reread, { publish, cause: FOUND_AT_PROCESSOR }));
      requireRunning(status);
    }
    requireAllowed(reread.snapshot);
  };

  return async <Input extends ChangeInput, Result>(
    kind: OperationKind<WithAudit<Input>, Reread, Result>,
    scope: ProjectScope,
    key: SubscriptionKey,
    { toInput, changesOf, context, requireCurrent, requireAllowed = () => undefined, once }: Requested<Input, Result>,
  ): Promise<Result> => {
    const { id, status, processorSubscriptionId } = await findSubscription(em.fork(), scope, key);
    requireRunning(status);
    try {
      return await operationLog.perform(kind, scope, { resourceId: id, ...once }, async tx => {
        // No lock is needed: if the record changes from here on, the processor is read again.
        const current = await findSubscription(tx, scope, key);
        requireRunning(current.status);
        requireCurrent?.(current);
        const audit = pendingAuditOf(context, { target: { type: 'subscription', id }, changes: changesOf(current) });
        return { ...toInput({ processorSubscriptionId, version: current.version }), audit };
      });
    } catch (err) {
      if (isRefused(err)) await requireAllowedThere({ scope, id: processorSubscriptionId }, requireAllowed);
      throw err;
    }
  };
}

/** Returns the processor's subscription that an operation is about. */
export const toObject = ({
  teamId,
  projectId,
  input,
}: RemoteOperation<Pick<ChangeInput, 'processorSubscriptionId'>>): ProjectObject => ({
  scope: { teamId, projectId },
  id: input.processorSubscriptionId,
});
