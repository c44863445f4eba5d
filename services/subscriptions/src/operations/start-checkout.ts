import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { checkoutCreate } from '@billing/contracts/resources/checkout';
import type { NewCheckoutSession } from '@billing/processor/port';
import { CheckoutSession } from '#persistence/checkout-session.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { openReserved } from './open-reserved.ts';
import { resolvePurchase, type Purchase } from './resolve-purchase.ts';

type Wanted = z.output<typeof checkoutCreate>;

/** A request stays in its caller's hands for less than this, in milliseconds; then others may take the reservation up. */
const CLAIM_MS = 60_000;

/**
 * Creates a hosted checkout session: reserved here, then created at the processor under a key made from the
 * reservation, then kept. With an `operationKey`, a repeat continues what was begun.
 * @throws Problem as `resolvePurchase`; 409 `processor_not_connected`; 502 and 503 of the processor
 */
export function startCheckout(dependencies: Dependencies) {
  const { em, processors } = dependencies;
  const resolve = resolvePurchase(dependencies);
  const open = openReserved(dependencies);
  return async (scope: ProjectScope, wanted: Wanted, operationKey?: string) => {
    const purchase = await resolve(scope, wanted);
    // Before anything is reserved: a team without a processor leaves nothing behind.
    await processors.of(scope.teamId);
    const reserved = await reserve(em.fork(), scope, wanted, {
      request: sessionOf(scope, wanted, purchase),
      operationKey,
    });
    return open(reserved);
  };
}

function sessionOf({ teamId, projectId }: ProjectScope, wanted: Wanted, purchase: Purchase): NewCheckoutSession {
  const { customerId, priceId, mode, quantity, successUrl, cancelUrl, trialDays } = wanted;
  return {
    mode,
    customerId: purchase.processorCustomerId,
    line: { priceId: purchase.processorPriceId, quantity },
    successUrl,
    cancelUrl,
    ...(trialDays !== undefined && { trialDays }),
    metadata: { ...wanted.metadata, teamId, projectId, customerId, priceId },
  };
}

/** With an operation key the reservation bears it as its id, so that a repeat finds what was begun. */
async function reserve(
  em: EntityManager,
  scope: ProjectScope,
  wanted: Wanted,
  { request, operationKey }: { request: NewCheckoutSession; operationKey: string | undefined },
): Promise<CheckoutSession> {
  const { teamId, projectId } = scope;
  const begun = operationKey && (await em.findOne(CheckoutSession, { id: operationKey, teamId, projectId }));
  if (begun && begun.state !== 'void') return begun;
  const now = new Date();
  const row = em.create(CheckoutSession, {
    // What was refused before stays refused under its id, for the processor remembers; so that one is not used again.
    id: operationKey === undefined || begun ? randomUUID() : operationKey,
    teamId,
    projectId,
    customerId: wanted.customerId,
    priceId: wanted.priceId,
    request,
    state: 'reserved',
    attempts: 1,
    claimedUntil: new Date(now.getTime() + CLAIM_MS),
    createdAt: now,
    updatedAt: now,
  });
  await em.flush();
  return row;
}
