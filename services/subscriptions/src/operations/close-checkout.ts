import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { CheckoutSession } from '#persistence/checkout-session.entity.ts';

/** Keeps that a session of ours is complete or has expired; one made elsewhere is none of ours. */
export async function closeCheckout(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorSessionId: string,
  state: 'complete' | 'expired',
): Promise<void> {
  await tx.nativeUpdate(
    CheckoutSession,
    { teamId, projectId, processorSessionId, state: 'open' },
    { state, updatedAt: new Date() },
  );
}
