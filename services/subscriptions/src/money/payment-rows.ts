import type { EntityManager } from '@mikro-orm/postgresql';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { PaymentId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { objectRows } from '#rows/object-rows';
import { Payment } from './payment.entity.ts';

/** The rows of payments, by the processor's id of the payment intent, or of a charge that has none. */
export const paymentRows = objectRows(Payment, {
  kind: 'payment',
  processorId: 'processorId',
  otherIds: ['processorChargeId'],
  fixed: ['processorPaymentIntentId'],
});

/** Finds the payment intents that charges belong to, by the `scopedKey` of the charge. */
export async function findIntentsOf(
  tx: EntityManager,
  charges: readonly ProjectObject[],
): Promise<ReadonlyMap<string, string>> {
  if (charges.length === 0) return new Map();
  const rows = await tx.find(Payment, inProjects('processorChargeId', charges), { disableIdentityMap: true });
  return new Map(
    rows.flatMap(({ teamId, projectId, processorChargeId: id, processorPaymentIntentId: intent }) =>
      id === null || intent === null ? [] : [[scopedKey({ scope: { teamId, projectId }, id }), intent] as const],
    ),
  );
}

/**
 * Finds a payment of the project; one of which only a refund or a dispute is known is not found.
 * @throws Problem 404 `payment_not_found`
 */
export async function findPayment(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: PaymentId,
): Promise<Payment> {
  const where = { teamId, projectId, id, status: { $ne: null } };
  return em.findOneOrFail(Payment, where, { disableIdentityMap: true, failHandler: () => notFound('payment') });
}
