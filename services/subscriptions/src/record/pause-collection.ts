import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { invalid, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { PAUSED_INVOICES, type SubscriptionPauseCreate } from '@billing/contracts/resources/subscription-pause';
import { isRefusedFor } from '@billing/processor/errors';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';
import { findSubscription, type SubscriptionKey } from './subscription-rows.ts';
import type { Subscription } from './subscription.entity.ts';

const pauseInput = changeInput.extend({
  behavior: z.enum(PAUSED_INVOICES),
  resumesAt: z.coerce.date().nullable(),
});
type Pause = Pick<z.output<typeof pauseInput>, 'behavior' | 'resumesAt'>;

/** The processor's times are in whole seconds. */
const inSeconds = (time: Date | null): number | null => time && Math.floor(time.getTime() / 1_000);

const hasPause = ({ pauseCollection: pause }: SubscriptionSnapshot, { behavior, resumesAt }: Pause): boolean =>
  pause?.behavior === behavior && inSeconds(pause.resumesAt) === inSeconds(resumesAt);

/** Pauses the payments of a subscription, unless they are paused: the processor would put one pause in the place of the other. */
export const pauseKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'pause-collection',
      input: pauseInput,
      isNamed: true,
      async send(processor, { input: { processorSubscriptionId: id, behavior, resumesAt }, idempotencyKey, attempt }) {
        const current = await processor.findSubscription(id);
        if (attempt > 1 && hasPause(current, { behavior, resumesAt })) return current;
        if (current.pauseCollection !== null || current.status === 'paused') throw alreadyPaused();
        return processor.pauseCollection(id, { behavior, resumesAt }, idempotencyKey);
      },
      isDone: hasPause,
    },
    dependencies,
  );

/** Ends a pause of payments. */
export const resumeKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'resume-collection',
      input: changeInput,
      isNamed: true,
      async send(processor, { input: { processorSubscriptionId: id }, idempotencyKey, attempt }) {
        const current = await processor.findSubscription(id);
        if (current.pauseCollection !== null) return processor.resumeCollection(id, idempotencyKey);
        if (attempt > 1) return current;
        throw notPaused();
      },
      isDone: current => current.pauseCollection === null,
    },
    dependencies,
  );

const alreadyPaused = () => unprocessable('already_paused', 'The subscription is paused already.');
export const notPaused = () => unprocessable('not_paused', 'The payments of the subscription are not paused.');

type PauseDependencies = Pick<Dependencies, 'em' | 'outbox' | 'processors' | 'operationLog' | 'now'>;

/** Finds the subscription as the operation with this key has left it. */
const findBy = (scope: ProjectScope, key: SubscriptionKey, operationKey: string) => async (em: EntityManager) => {
  const row = await findSubscription(em, scope, key);
  return row.operationKey === operationKey ? row : null;
};

/**
 * Pauses the payments of a subscription, whose status and periods go on. The same operation key is the same pause.
 * @throws Problem what `changeAtProcessor` throws; 422 `already_paused`; 400 for an end that is not ahead by the processor's clock
 */
export function pauseCollection(dependencies: PauseDependencies) {
  const change = changeAtProcessor(dependencies);
  const kind = pauseKind(dependencies);
  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    { invoices: behavior, resumesAt: until }: SubscriptionPauseCreate,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Subscription> => {
    const resumesAt = until ?? null;
    try {
      return await change(kind, scope, key, {
        toInput: common => ({ ...common, behavior, resumesAt }),
        requireCurrent: ({ pauseBehavior, status }) => {
          if (pauseBehavior !== null || status === 'paused') throw alreadyPaused();
        },
        changesOf: () => [
          { field: 'paused.invoices', from: null, to: behavior },
          ...(resumesAt ? [{ field: 'paused.resumesAt', from: null, to: resumesAt.toISOString() }] : []),
        ],
        context,
        once: { operationKey, find: findBy(scope, key, operationKey) },
      });
    } catch (err) {
      if (!isRefusedFor(err, { param: 'pause_collection[resumes_at]' })) throw err;
      throw invalid([{ path: 'resumesAt', message: 'Expected a time ahead.' }]);
    }
  };
}

/**
 * Resumes the payments of a subscription. The same operation key is the same end of a pause.
 * @throws Problem what `changeAtProcessor` throws; 422 `not_paused`
 */
export function resumeCollection(dependencies: PauseDependencies) {
  const change = changeAtProcessor(dependencies);
  const kind = resumeKind(dependencies);
  return (
    scope: ProjectScope,
    key: SubscriptionKey,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Subscription> =>
    change(kind, scope, key, {
      toInput: common => common,
      requireCurrent: ({ pauseBehavior }) => {
        if (pauseBehavior === null) throw notPaused();
      },
      changesOf: ({ pauseBehavior: from }) => [{ field: 'paused.invoices', from, to: null }],
      context,
      once: { operationKey, find: findBy(scope, key, operationKey) },
    });
}
