import { randomUUID } from 'node:crypto';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { TestCard } from '@billing/contracts/resources/test-clock';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import { changesOf, recordAudit } from '@billing/service/audit';
import { causeOfRequest } from '@billing/service/event-causes';
import { findBilledCustomer } from '#copies/find-billed-customer';
import type { Dependencies } from '../dependencies.ts';
import { useEverywhere } from './replace-payment-method.ts';
import { saveReplacements } from './save-replacement.ts';

/** https://docs.stripe.com/testing#declined-payments */
const CARDS: Readonly<Record<TestCard, string>> = {
  ok: 'pm_card_visa',
  declines: 'pm_card_chargeCustomerFail',
  authentication: 'pm_card_authenticationRequired',
};

/**
 * Gives a customer a test card, and has all of its running subscriptions use it. The same operation key gives the same card.
 * @throws Problem 404; 422 `live_mode`; what the processor refuses
 */
export function setTestCard(dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'now'>) {
  const { em, outbox, processors, now } = dependencies;
  const findCustomer = findBilledCustomer(dependencies);
  return async (
    scope: ProjectScope,
    id: CustomerId,
    card: TestCard,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<void> => {
    const processor = await processors.of(scope.teamId);
    if (processor.isLive) throw unprocessable('live_mode', 'The account of the team is live: it has no test cards.');
    const { processorCustomerId: customerId } = await findCustomer(scope, id);
    const key = idempotencyKey('attach-test-card', operationKey);
    const { paymentMethodId } = await processor.attachTestCard(customerId, CARDS[card], key);
    const replacement = await useEverywhere({ em, processor }, scope, {
      customerId,
      paymentMethodId,
      sourceId: operationKey,
    });
    await outbox.transaction(async (tx, publish) => {
      const source = { at: now(), cause: causeOfRequest(context) };
      await saveReplacements(tx, [{ scope, source, replacement }], { publish, now: now() });
      const changes = changesOf(null, { card }, []);
      recordAudit(publish, scope.teamId, context, { target: { type: 'customer', id }, changes });
    });
  };
}
