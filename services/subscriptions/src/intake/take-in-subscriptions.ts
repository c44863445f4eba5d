import type { ProjectScope } from '@billing/contracts/ids';
import { PAGE_SIZE } from '@billing/processor/page-size';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import type { ProjectObject } from '@billing/database/project-objects';
import { CAUSED_BY_SYNC } from '@billing/service/event-causes';
import type { Reread } from '#record/observation.rules';
import { Subscription } from '#record/subscription.entity';
import { saveReads } from '#record/save-reads';
import { readWith } from '#record/read-subscription';
import type { Dependencies } from '../dependencies.ts';
import type { Ownership } from './find-ownership.ts';

/** How often a record may change between a read and its saving. */
const MAX_REREADS = 5;

interface Page {
  readonly processor: Processor;
  readonly ownership: Ownership;
  /** The processor's id of the last subscription of the page before. */
  readonly after: string | null;
  /** What time a reading has: ours, or that of the customer's test clock. */
  readonly readAt: () => Date;
}

/**
 * Reads a page of the subscriptions of a customer of the processor and records those that belong to the project, as their
 * events would. A read never replaces what an event has brought since. Returns where the next page begins; null after the
 * last one.
 */
export function takeInSubscriptions({
  em,
  outbox,
  now,
  logger,
}: Pick<Dependencies, 'em' | 'outbox' | 'now' | 'logger'>) {
  return async (
    { scope, id: processorCustomerId }: ProjectObject,
    { processor, ownership, after, readAt: timeOfReading }: Page,
  ): Promise<string | null> => {
    const versions = await findVersions({ scope, id: processorCustomerId });
    const listed = await processor.listSubscriptions(processorCustomerId, after ?? undefined);
    const readAt = timeOfReading();
    const own = await ownOf(listed, ownership);
    for (const { id } of own.filter(({ status }) => status === null))
      logger.error({ processorSubscriptionId: id, ...scope }, 'subscription of unknown status not taken in');

    let reads = own
      .filter(({ status }) => status !== null)
      .map(snapshot => toRead(scope, { snapshot, version: versions.get(snapshot.id) ?? null, readAt }));
    for (let rereads = 0; reads.length > 0; rereads += 1) {
      const { outdated, withoutCustomer } = await outbox.transaction((tx, publish) =>
        saveReads(tx, reads, { publish, now: now() }),
      );
      if (withoutCustomer.length > 0) throw new Error(`There is no copy of the customer ${processorCustomerId}.`);
      if (outdated.length > 0 && rereads === MAX_REREADS) throw new Error('The subscriptions change too fast.');
      reads = await Promise.all(
        outdated.map(async ({ reread: { snapshot } }) => {
          return toRead(scope, await readWith({ processor, em: em.fork(), now }, { scope, id: snapshot.id }));
        }),
      );
    }
    return listed.length < PAGE_SIZE ? null : (listed.at(-1)?.id ?? null);
  };

  /** The versions of the customer's records before the read. */
  async function findVersions({ scope, id }: ProjectObject): Promise<ReadonlyMap<string, number>> {
    const { teamId, projectId } = scope;
    const rows = await em
      .fork()
      .find(
        Subscription,
        { teamId, projectId, processorCustomerId: id },
        { fields: ['processorSubscriptionId', 'version'] },
      );
    return new Map(rows.map(row => [row.processorSubscriptionId, row.version]));
  }
}

const toRead = (scope: ProjectScope, reread: Reread) => ({
  scope,
  reread,
  source: { at: reread.readAt, cause: CAUSED_BY_SYNC },
});

async function ownOf(
  subscriptions: readonly SubscriptionSnapshot[],
  { markOf, ownsUnmarked }: Ownership,
): Promise<SubscriptionSnapshot[]> {
  const own: SubscriptionSnapshot[] = [];
  for (const subscription of subscriptions) {
    const mark = await markOf(subscription.metadata);
    if (mark === 'own' || (mark === 'none' && ownsUnmarked)) own.push(subscription);
  }
  return own;
}
