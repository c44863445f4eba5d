import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { namedProject } from '@billing/processor/metadata';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import { PAGE_SIZE } from '@billing/processor/page-size';
import type { CheckoutSessionSnapshot, Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { executeBound } from '@billing/database/bound-statement';
import { CustomerCopy } from '#persistence/customer-copy.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Has the payment method that a setup session saved used from now on. It becomes the default of the customer and of each
 * running subscription, whose own default would otherwise come first.
 * https://docs.stripe.com/payments/checkout/subscriptions/update-payment-details
 *
 * It may run any number of times: every write has an idempotency key made from the session. A session that is older than
 * the newest one whose method was taken changes nothing.
 */
export function replacePaymentMethod({ em, processors }: Pick<Dependencies, 'em' | 'processors'>) {
  return async (scope: ProjectScope, session: CheckoutSessionSnapshot, completedAt: Date): Promise<void> => {
    const { id: sessionId, customerId, setupIntentId } = session;
    if (!customerId || !setupIntentId) return;
    if (await isOutdated(em.fork(), scope, customerId, completedAt)) return;
    const processor = await processors.of(scope.teamId);
    const { paymentMethodId } = await processor.findSavedPaymentMethod(setupIntentId);
    if (!paymentMethodId) throw new Error(`Setup session ${sessionId} is complete but saved no payment method.`);

    const changes = { defaultPaymentMethodId: paymentMethodId };
    await processor.updateCustomer(customerId, changes, idempotencyKey('default-payment-method', sessionId));
    for await (const subscription of everySubscription(processor, customerId)) {
      if (!isRunningHere(subscription, scope)) continue;
      const key = idempotencyKey('subscription-payment-method', sessionId, subscription.id);
      await processor.setSubscriptionPaymentMethod(subscription.id, paymentMethodId, key);
    }
  };
}

async function* everySubscription(processor: Processor, customerId: string): AsyncGenerator<SubscriptionSnapshot> {
  for (let after: string | undefined; ;) {
    const page = await processor.listSubscriptions(customerId, after);
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < PAGE_SIZE) return;
  }
}

/** A completed setup session. */
interface Replacement {
  readonly scope: ProjectScope;
  readonly session: Pick<CheckoutSessionSnapshot, 'customerId'>;
  readonly completedAt: Date;
}

/** Notes on the customers' copies when the newest setup session was completed. */
export async function noteReplacements(tx: EntityManager, replacements: readonly Replacement[]): Promise<void> {
  if (replacements.length === 0) return;
  await executeBound(
    tx,
    `update customer_copies copy
        set payment_method_replaced_at = greatest(copy.payment_method_replaced_at, replaced.at)
       from (select team_id, project_id, processor_customer_id, max(at) as at
               from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
                      as session (team_id, project_id, processor_customer_id, at)
              group by 1, 2, 3) replaced
      where copy.team_id = replaced.team_id and copy.project_id = replaced.project_id
        and copy.processor_customer_id = replaced.processor_customer_id`,
    [
      replacements.map(({ scope }) => scope.teamId),
      replacements.map(({ scope }) => scope.projectId),
      replacements.map(({ session }) => session.customerId),
      replacements.map(({ completedAt }) => completedAt),
    ],
  );
}

async function isOutdated(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorCustomerId: string,
  completedAt: Date,
): Promise<boolean> {
  const newer = await em.count(CustomerCopy, {
    teamId,
    projectId,
    processorCustomerId,
    paymentMethodReplacedAt: { $gt: completedAt },
  });
  return newer > 0;
}

/** Two projects may share a customer of the processor; each changes its own subscriptions only. */
function isRunningHere({ status, metadata }: SubscriptionSnapshot, { projectId }: ProjectScope): boolean {
  const owner = namedProject(metadata);
  return (status === null || !hasEnded(status)) && (owner === undefined || owner === projectId);
}
