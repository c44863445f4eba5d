import { Problem } from '@billing/contracts/problem';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import { isRefusal } from '@billing/processor/operation-log/after-failure';
import { CheckoutSession } from '#persistence/checkout-session.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** A hosted checkout session that a customer may be sent to. */
export interface OpenCheckout {
  readonly sessionId: string;
  readonly url: string;
}

/**
 * Creates the reserved session at the processor, and keeps it; for one that was opened before, answers that. A refusal
 * makes the reservation void, and a failure on the processor's side does too: should there be a session all the same,
 * nobody has its page, and it expires. Anything less certain leaves it to be taken up again under the same key.
 * @throws Problem 502 and 503 of the processor
 */
export function openReserved({ em, processors }: Pick<Dependencies, 'em' | 'processors'>) {
  return async (reserved: CheckoutSession): Promise<OpenCheckout> => {
    const { id, teamId, projectId, request, processorSessionId } = reserved;
    if (processorSessionId && reserved.url) return { sessionId: processorSessionId, url: reserved.url };
    const change = (changes: Partial<Pick<CheckoutSession, 'state' | 'processorSessionId' | 'url' | 'error'>>) =>
      em
        .fork()
        .nativeUpdate(
          CheckoutSession,
          { id, teamId, projectId, state: 'reserved' },
          { ...changes, updatedAt: new Date() },
        );
    try {
      const processor = await processors.of(teamId);
      const session = await processor.createCheckoutSession(request, idempotencyKey('checkout', id));
      const { url } = session;
      if (!url) throw new Problem('processor_failed', 'processor_error', 'The processor gave the checkout no page.');
      await change({ state: 'open', processorSessionId: session.id, url, error: null });
      return { sessionId: session.id, url };
    } catch (err) {
      const error = err instanceof Error ? err.message : String(err);
      await change(isRefusal(err, reserved.attempts) ? { state: 'void', error } : { error });
      throw err;
    }
  };
}
