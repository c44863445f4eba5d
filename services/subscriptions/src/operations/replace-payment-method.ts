import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { CheckoutSessionSnapshot, SubscriptionSnapshot } from '@billing/processor/port';
import { hasEnded } from '#domain/subscription.ts';
import { KnownCustomer } from '#persistence/known-customer.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Has the method that a setup session saved pay from now on: it becomes the customer's default and that of each
 * running subscription, whose own default would otherwise go first.
 * https://docs.stripe.com/payments/checkout/subscriptions/update-payment-details
 *
 * May run any number of times: every write has a key made from the session. An older session than the newest that was
 * taken over changes nothing.
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
    for (const subscription of await processor.listSubscriptions(customerId)) {
      if (!isRunningHere(subscription, scope)) continue;
      const key = idempotencyKey('subscription-payment-method', sessionId, subscription.id);
      await processor.setSubscriptionPaymentMethod(subscription.id, paymentMethodId, key);
    }
  };
}

/** Remembers when the newest setup session was taken over. */
export async function rememberReplacement(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorCustomerId: string,
  completedAt: Date,
): Promise<void> {
  await tx.execute(
    `update known_customers set payment_method_as_of = greatest(payment_method_as_of, ?)
      where team_id = ? and project_id = ? and processor_customer_id = ?`,
    [completedAt, teamId, projectId, processorCustomerId],
  );
}

async function isOutdated(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorCustomerId: string,
  completedAt: Date,
): Promise<boolean> {
  const newer = await em.count(KnownCustomer, {
    teamId,
    projectId,
    processorCustomerId,
    paymentMethodAsOf: { $gt: completedAt },
  });
  return newer > 0;
}

/** Two projects may share a customer of the processor; each changes its own subscriptions only. */
function isRunningHere({ status, metadata }: SubscriptionSnapshot, { projectId }: ProjectScope): boolean {
  const owner = metadata['projectId'];
  return (status === null || !hasEnded(status)) && (owner === undefined || owner === projectId);
}
