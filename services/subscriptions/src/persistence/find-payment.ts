import type { EntityManager } from '@mikro-orm/postgresql';
import type { PaymentId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { Payment } from '#persistence/payment.entity.ts';

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
