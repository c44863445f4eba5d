import type { ProjectScope } from '@billing/contracts/ids';
import { PAGE_SIZE } from '@billing/processor/page-size';
import type { Processor } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { CAUSED_BY_SYNC } from '@billing/service/event-causes';
import { positionOfRead } from '#money/invoice.rules';
import { subscriptionRows } from '#record/subscription-rows';
import { applyInvoiceEvents, prepareInvoiceEvent, type InvoiceEvent } from '#money/apply-invoice-events';
import type { Dependencies } from '../dependencies.ts';
import type { Ownership } from './find-ownership.ts';

/** How often a record may change between a read and its saving. */
const MAX_REREADS = 5;

interface Page {
  readonly processor: Processor;
  readonly ownership: Ownership;
  /** The processor's id of the last invoice of the page before. */
  readonly after: string | null;
  /** What time a reading has: ours, or that of the customer's test clock. */
  readonly readAt: () => Date;
}

/**
 * Reads a page of the invoices of a customer of the processor and records those that belong to the project, as their
 * events would; the subscriptions have been taken in. Returns where the next page begins; null after the last one.
 */
export function takeInInvoices(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'now' | 'logger'>,
) {
  const { em, outbox, logger } = dependencies;
  const apply = applyInvoiceEvents(dependencies);
  const prepare = prepareInvoiceEvent(dependencies);

  return async (
    { scope, id: processorCustomerId }: ProjectObject,
    { processor, ownership, after, readAt: timeOfReading }: Page,
  ): Promise<string | null> => {
    const listed = await processor.listInvoices(processorCustomerId, after ?? undefined);
    const readAt = timeOfReading();
    const own = await ownOf(scope, listed, ownership);
    for (const { id } of own.filter(({ status }) => status === null))
      logger.error({ processorInvoiceId: id, ...scope }, 'invoice of unknown status not taken in');

    // An invoice that has a record is read again, with its version, if it differs.
    const source = { at: readAt, cause: CAUSED_BY_SYNC };
    const read = { scope, position: positionOfRead(readAt), source, processorCustomerId, reread: null };
    let events = own.filter(({ status }) => status !== null).map((snapshot): InvoiceEvent => ({ ...read, snapshot }));
    for (let rereads = 0; events.length > 0; rereads += 1) {
      const unprepared = await outbox.transaction((tx, publish) => apply(tx, events, publish));
      if (unprepared.length > 0 && rereads === MAX_REREADS) throw new Error('The invoices change too fast.');
      events = await Promise.all(unprepared.map(async event => ({ ...event, reread: await prepare(event) })));
    }
    return listed.length < PAGE_SIZE ? null : (listed.at(-1)?.id ?? null);
  };

  /** An invoice that names no project belongs to that of its subscription. */
  async function ownOf(
    scope: ProjectScope,
    invoices: readonly InvoiceSnapshot[],
    { markOf, ownsUnmarked }: Ownership,
  ): Promise<InvoiceSnapshot[]> {
    const objects = invoices.flatMap(({ subscriptionId: id }) => (id === null ? [] : [{ scope, id }]));
    const recorded = await subscriptionRows.findIds(em.fork(), objects);
    const own: InvoiceSnapshot[] = [];
    for (const invoice of invoices) {
      const { metadata, subscriptionMetadata, subscriptionId: id } = invoice;
      const mark = await markOf(metadata, subscriptionMetadata);
      const isOfOwn = id === null ? ownsUnmarked : recorded.has(scopedKey({ scope, id }));
      if (mark === 'own' || (mark === 'none' && isOfOwn)) own.push(invoice);
    }
    return own;
  }
}
