import { PAGE_SIZE } from '@billing/processor/page-size';
import type { Processor } from '@billing/processor/port';
import type { ProjectObject } from '@billing/database/project-objects';
import { CAUSED_BY_SYNC } from '@billing/service/event-causes';
import { applyPaymentEvents, preparePaymentEvent, type PaymentEvent } from '#money/apply-payment-events';
import { observedCharge } from '#money/payment-observations.rules';
import type { Dependencies } from '../dependencies.ts';
import type { Ownership } from './find-ownership.ts';

interface Page {
  readonly processor: Processor;
  readonly ownership: Ownership;
  /** The processor's id of the last charge of the page before. */
  readonly after: string | null;
  /** What time a reading has: ours, or that of the customer's test clock. */
  readonly readAt: () => Date;
}

/**
 * Reads a page of the charges of a customer of the processor and records the payments that belong to the project, as their events
 * would. Returns where the next page begins; null after the last one.
 */
export function takeInPayments(dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'now'>) {
  const { outbox } = dependencies;
  const apply = applyPaymentEvents(dependencies);
  const prepare = preparePaymentEvent(dependencies);
  return async (
    { scope, id: processorCustomerId }: ProjectObject,
    { processor, ownership: { markOf, ownsUnmarked }, after, readAt }: Page,
  ): Promise<string | null> => {
    const listed = await processor.listCharges(processorCustomerId, after ?? undefined);
    const at = readAt();
    const events: PaymentEvent[] = [];
    for (const charge of listed) {
      const mark = await markOf(charge.metadata);
      if (mark !== 'own' && !(mark === 'none' && ownsUnmarked)) continue;
      const { id, paymentIntentId, metadata } = charge;
      events.push({
        scope,
        source: { at, cause: CAUSED_BY_SYNC },
        processorId: paymentIntentId ?? id,
        paymentIntentId,
        chargeToRead: null,
        observations: observedCharge(charge, at),
        metadata,
        prepared: undefined,
      });
    }
    const record = (wanted: readonly PaymentEvent[]) => outbox.transaction((tx, publish) => apply(tx, wanted, publish));
    const unprepared = await record(events);
    if (unprepared.length > 0)
      await record(await Promise.all(unprepared.map(async it => ({ ...it, prepared: await prepare(it) }))));
    return listed.length < PAGE_SIZE ? null : (listed.at(-1)?.id ?? null);
  };
}
