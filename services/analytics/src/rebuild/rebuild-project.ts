import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { auditOfCommand, recordAudit } from '@billing/service/audit';
import { countRecords, type SelectGenerations } from '#operations/count-records.ts';
import {
  deleteGenerationsBefore,
  RebuildSuperseded,
  startGeneration,
  switchToGeneration,
} from '#persistence/generations.ts';
import { upsertProject } from '#persistence/projects.ts';
import type { WithRebuildLock } from '#persistence/rebuild-lock.ts';
import { saveWebhookEventCounts } from '#persistence/webhook-event-counts.ts';
import { readRecordStates, readWebhookEvents } from './owner-states.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly withRebuildLock: WithRebuildLock;
  /** Set when an operator's command rebuilds: with the new metrics the audit log gets an entry. */
  readonly audit?: { readonly outbox: Outbox; readonly requestId: string };
}

/**
 * Rebuilds a project's metrics from the records of the services that own them. Meanwhile events are still counted and
 * requests read the former metrics; one transaction then switches to the new ones. A rebuild that dies leaves rows that no request reads and the next rebuild deletes. `onProgress` gets
 * the number of records of each step.
 * @throws RebuildSuperseded when another rebuild of the project started meanwhile
 * @throws Problem 503 when an owner does not reply for a minute
 */
export function rebuildProject({ em, rpc, withRebuildLock, audit }: Dependencies) {
  return (project: ProjectState, onProgress: (count: number) => void = () => undefined): Promise<void> => {
    const scope = { teamId: project.teamId, projectId: project.id };
    return withRebuildLock(scope, async () => {
      await upsertProject(em.fork(), project);
      const generation = await startGeneration(em, scope);
      await deleteGenerationsBefore(em, { ...scope, generation });
      const onlyNewGeneration: SelectGenerations = ({ buildingGeneration }) => {
        if (buildingGeneration !== generation) throw new RebuildSuperseded(scope);
        return [generation];
      };
      const options = { generations: onlyNewGeneration, areEvents: false };
      let newestAt: Date | null = null;
      for await (const states of readRecordStates(rpc, scope)) {
        const uncounted = await em.fork().transactional(tx => countRecords(tx, states, options));
        newestAt = latest(newestAt, uncounted.get(scope.projectId) ?? null);
        onProgress(states.length);
      }
      const counts = await readWebhookEvents(rpc, scope);
      const switchTo = async (tx: EntityManager) => {
        await switchToGeneration(tx, { ...scope, generation }, newestAt);
        await saveWebhookEventCounts(tx, [counts]);
      };
      if (!audit) await em.fork().transactional(switchTo);
      else
        await audit.outbox.transaction(async (tx, publish) => {
          await switchTo(tx);
          const context = auditOfCommand('rebuildAnalytics', audit.requestId, scope.projectId);
          const target = { type: 'project', id: scope.projectId } as const;
          recordAudit(publish, scope.teamId, context, { target, changes: [] });
        });
      await deleteGenerationsBefore(em, { ...scope, generation });
    });
  };
}

const latest = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one > other ? one : other) : (one ?? other);
