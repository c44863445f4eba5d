import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { SyncType } from '@billing/contracts/resources/sync';
import type { ReportMissingObject } from '@billing/contracts/rpc/calls';
import { findProjects } from '#pipeline/route-rows';
import { readSnapshot } from '#receipt/incoming-event.rules';
import type { ReceivedEvent, Stored } from '#receipt/store';
import type { RpcClient } from '@billing/messaging/rpc';
import type { ListedObject } from '@billing/processor/port';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { currentTrace } from '@billing/tracing/trace-carrier';
import type { z } from 'zod';
import { ProcessorAccount } from '#accounts/processor-account';
import { compareObjects } from './decide-objects.ts';
import { findLastStates } from './last-states.ts';
import { endOf, gone, TRAITS } from './synced-objects.rules.ts';

interface EndParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly store: (received: readonly ReceivedEvent[]) => Promise<readonly Stored[]>;
}

/** An object is ended at most once in this time, in milliseconds. */
const AGAIN_MS = 3_600_000;

/**
 * Ends the records of an object that another service has found missing at Stripe: stores the event of its end, which no webhook
 * has delivered, for the projects that have a live record. Nothing happens when Stripe has the object after all.
 */
export function endMissing({ em, rpc, processors, store }: EndParts) {
  const holdersOf = async (teamId: TeamId, type: SyncType, processorId: string): Promise<ProjectId[]> => {
    const holders: ProjectId[] = [];
    for (const projectId of await findProjects(em.fork(), teamId)) {
      const [compared] = await compareObjects(rpc, { teamId, projectId }, type, [gone(processorId)]);
      if (compared?.outcome === 'extra') holders.push(projectId);
    }
    // The events of a customer go to every project that has it.
    return type === 'customer' ? holders.slice(0, 1) : holders;
  };

  return async ({ teamId, type, processorId }: z.output<typeof ReportMissingObject.request>) => {
    const { gone: eventType } = TRAITS[type];
    const holders = eventType ? await holdersOf(teamId, type, processorId) : [];
    const account = holders.length > 0 ? await em.fork().findOne(ProcessorAccount, { teamId }) : null;
    if (!account) return {};
    const { object: found, readAt } = await (await processors.of(teamId)).findListed(type, processorId);
    if (found && found['deleted'] !== true) return {};

    const last = await findLastStates(em, teamId, type, [processorId]);
    const end = endOf(type, processorId, readAt.getTime(), last.get(processorId));
    const received = holders.flatMap((projectId): ReceivedEvent[] => {
      const event = readSnapshot({
        id: eventIdOf({ type, processorId, projectId }, readAt),
        object: 'event',
        type: eventType,
        created: readAt.getTime() / 1_000,
        api_version: API_VERSION,
        livemode: account.livemode,
        data: { object: routedTo({ teamId, projectId }, end) },
      });
      if ('reason' in event) return [];
      return [{ teamId, event, trace: currentTrace(), from: { accountId: account.accountId, secretId: null } }];
    });
    await store(received);
    return {};
  };
}

/** The same however often the end is reported in an hour. */
function eventIdOf(end: object, readAt: Date): string {
  const hour = Math.floor(readAt.getTime() / AGAIN_MS);
  return `evt_gone_${createHash('sha256')
    .update(JSON.stringify({ ...end, hour }))
    .digest('hex')
    .slice(0, 40)}`;
}

function routedTo(scope: { readonly teamId: TeamId; readonly projectId: ProjectId }, end: ListedObject): ListedObject {
  return { ...end, metadata: { ...Object(end['metadata']), ...scope } };
}
