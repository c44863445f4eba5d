import type { ProjectScope } from '@billing/contracts/ids';
import { invalid, Problem, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { planChange } from '@billing/contracts/resources/plan-change';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import { isRefusedFor } from '@billing/processor/errors';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { changesOf } from '@billing/service/audit';
import { z } from 'zod';
import { changeAtProcessor, changeInput, changeKind } from '#record/change-at-processor';
import { readSubscription } from '#record/read-subscription';
import { findSubscription, type SubscriptionKey } from '#record/subscription-rows';
import type { Subscription } from '#record/subscription.entity';
import { requireRunning } from '#record/subscription.rules';
import type { Dependencies } from '../dependencies.ts';
import { changePlan } from './change-plan.ts';
import { requireChangeable } from './decide.rules.ts';

const input = changeInput.extend({ trialEnd: z.coerce.date() });

/** How far ahead a trial may end. https://docs.stripe.com/billing/subscriptions/trials */
const MAX_AHEAD_MS = 730 * 86_400_000;

const inSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

const endsAt = ({ status, trialEnd }: SubscriptionSnapshot, wanted: Date): boolean =>
  status === 'trialing' && trialEnd !== null && inSeconds(trialEnd) === inSeconds(wanted);

/** Sets when the trial of a subscription ends. */
export const setTrialEndKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'set-trial-end',
      input,
      async send(processor, { input: { processorSubscriptionId: id, trialEnd }, idempotencyKey }) {
        const current = await processor.findSubscription(id);
        if (endsAt(current, trialEnd)) return current;
        requireMovable(current);
        return processor.setTrialEnd(id, trialEnd, idempotencyKey);
      },
      isDone: (snapshot, { trialEnd }) => endsAt(snapshot, trialEnd),
    },
    dependencies,
  );

/**
 * Checks that the trial of a subscription can be given another end: no schedule plans its periods, and it owes nothing.
 * @throws Problem 422 `subscription_has_schedule`, and what `requireChangeable` throws
 */
function requireMovable(snapshot: SubscriptionSnapshot): void {
  requireChangeable(snapshot);
  if (snapshot.scheduleId === null) return;
  const message = 'A change of the subscription is scheduled; take that back, or release the schedule, first.';
  throw unprocessable('subscription_has_schedule', message);
}

/** Returns whether the end of a trial has begun the current period, as a request does that is repeated. */
const hasJustEnded = ({ trialEnd, currentPeriodStart }: SubscriptionSnapshot): boolean =>
  trialEnd !== null && inSeconds(trialEnd) === inSeconds(currentPeriodStart);

const notInTrial = () => unprocessable('not_in_trial', 'The subscription is in no trial that could be ended.');
const notThen = () =>
  invalid([
    { path: 'trialEnd', message: 'Expected a time ahead, at most 730 days, and two years after the period begins.' },
  ]);

/**
 * Sets when the trial of a subscription ends, or gives it one; nothing is charged before. Null ends its trial now, and charges;
 * again in the period that this has begun, it changes nothing.
 * @throws Problem what `changeAtProcessor` and `changePlan` throw; 422 `not_in_trial`, `subscription_has_schedule`,
 * `subscription_incomplete`, `subscription_paused`, `subscription_past_due`; 400 for an end that cannot be
 */
export function setTrialEnd(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
) {
  const { em, processors, now } = dependencies;
  const [change, end] = [changeAtProcessor(dependencies), changePlan(dependencies)];
  const read = readSubscription(dependencies);
  const kind = setTrialEndKind(dependencies);

  const endNow = async (
    scope: ProjectScope,
    key: SubscriptionKey,
    expectedAmountDue: number | undefined,
    context: AuditContext,
  ): Promise<Subscription> => {
    const wanted = withPriceIds(planChange).parse({
      trial: 'end',
      paymentBehavior: 'error_if_incomplete',
      expectedAmountDue,
    });
    try {
      return (await end(scope, key, wanted, context)).subscription;
    } catch (err) {
      // It had ended when its turn came.
      if (err instanceof Problem && err.code === 'no_change') return findSubscription(em.fork(), scope, key);
      throw err;
    }
  };

  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    {
      trialEnd,
      expectedAmountDue,
    }: { readonly trialEnd: Date | null; readonly expectedAmountDue?: number | undefined },
    context: AuditContext,
  ): Promise<Subscription> => {
    const { status, processorSubscriptionId } = await findSubscription(em.fork(), scope, key);
    requireRunning(status);
    const { snapshot } = await read({ scope, id: processorSubscriptionId });
    requireMovable(snapshot);
    if (trialEnd === null) {
      if (snapshot.status !== 'trialing' && !hasJustEnded(snapshot)) throw notInTrial();
      return endNow(scope, key, expectedAmountDue, context);
    }
    const processor = await processors.of(scope.teamId);
    const ahead = trialEnd.getTime() - ((await processor.readClock(snapshot.testClockId)) ?? now()).getTime();
    if (ahead <= 0 || ahead > MAX_AHEAD_MS) throw notThen();
    try {
      return await change(kind, scope, key, {
        toInput: common => ({ ...common, trialEnd }),
        changesOf: current => changesOf({ trialEnd: current.trialEnd }, { trialEnd }),
        context,
      });
    } catch (err) {
      throw isRefusedFor(err, { param: 'trial_end' }) ? notThen() : err;
    }
  };
}
