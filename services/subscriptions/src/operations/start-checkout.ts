import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import { CHECKOUT_MODES, type checkoutCreate } from '@billing/contracts/resources/checkout';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import { z } from 'zod';
import { CheckoutSession } from '#persistence/checkout-session.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { resolvePurchase, type Purchase } from './resolve-purchase.ts';

/** A hosted checkout session that a customer can be sent to. */
interface OpenCheckout {
  readonly sessionId: string;
  readonly url: string;
}

const input = z.object({
  mode: z.enum(CHECKOUT_MODES),
  customerId: z.string(),
  line: z.object({ priceId: z.string(), quantity: z.int() }),
  successUrl: z.string(),
  cancelUrl: z.string(),
  trialDays: z.int().exactOptional(),
  metadata: z.record(z.string(), z.string()),
});

/** Creates a checkout session at the processor; until then its row is only reserved. */
export function createCheckoutKind({
  now,
}: Pick<Dependencies, 'now'>): OperationKind<z.output<typeof input>, OpenCheckout, OpenCheckout> {
  return {
    name: 'create-checkout',
    input,
    async send(processor, operation) {
      const { id: sessionId, url } = await processor.createCheckoutSession(operation.input, operation.idempotencyKey);
      if (!url) throw new Problem('processor_failed', 'processor_error', 'The processor gave the checkout no page.');
      return { sessionId, url };
    },
    async commit(tx, { id, teamId, projectId }, opened) {
      const session = await tx.findOne(CheckoutSession, { id, teamId, projectId });
      if (!session) throw unavailable('The checkout session is no longer reserved.');
      const { sessionId: processorSessionId, url } = opened;
      tx.assign(session, { state: 'open', processorSessionId, url, updatedAt: now() });
      return opened;
    },
    // If the processor has created the session all the same, it expires: the URL of its page was never returned.
    async cancel(tx, { id, teamId, projectId }) {
      await tx.nativeDelete(CheckoutSession, { id, teamId, projectId, state: 'reserved' });
    },
  };
}

/**
 * Creates a hosted checkout session. The same operation key gives the same session.
 * @throws Problem what `resolvePurchase` throws; 409 `processor_not_connected`; `processor_error` after a refusal, with
 * nothing left behind; `unavailable` when the processor does not respond
 */
export function startCheckout(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'operationLog' | 'now'>) {
  const { operationLog, now } = dependencies;
  const resolve = resolvePurchase(dependencies);
  const kind = createCheckoutKind(dependencies);
  return async (
    scope: ProjectScope,
    requested: z.output<typeof checkoutCreate>,
    operationKey: string = randomUUID(),
  ): Promise<OpenCheckout> => {
    const purchase = await resolve(scope, requested);
    const { teamId, projectId } = scope;
    const { customerId, priceId } = requested;
    const request = {
      resourceId: operationKey,
      operationKey,
      find: (em: EntityManager) => findOpened(em, scope, operationKey),
    };
    return operationLog.perform(kind, { teamId, projectId }, request, async tx => {
      const createdAt = now();
      tx.create(CheckoutSession, {
        id: operationKey,
        teamId,
        projectId,
        customerId,
        priceId,
        state: 'reserved',
        processorSessionId: null,
        url: null,
        createdAt,
        updatedAt: createdAt,
      });
      return toSession(scope, requested, purchase);
    });
  };
}

function toSession(
  { teamId, projectId }: ProjectScope,
  requested: z.output<typeof checkoutCreate>,
  purchase: Purchase,
): z.output<typeof input> {
  const { customerId, priceId, mode, quantity, successUrl, cancelUrl, trialDays } = requested;
  return {
    mode,
    customerId: purchase.processorCustomerId,
    line: { priceId: purchase.processorPriceId, quantity },
    successUrl,
    cancelUrl,
    ...(trialDays !== undefined && { trialDays }),
    // The routing keys win over the caller's.
    metadata: { ...requested.metadata, teamId, projectId, customerId, priceId },
  };
}

/** Finds a session that an earlier request with the same key has created. */
async function findOpened(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: string,
): Promise<OpenCheckout | null> {
  const session = await em.findOne(CheckoutSession, { id, teamId, projectId });
  if (!session?.processorSessionId || !session.url) return null;
  return { sessionId: session.processorSessionId, url: session.url };
}
