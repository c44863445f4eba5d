import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { RpcClient } from '@billing/messaging/rpc';
import { followSubjects, type ChooseGenerations } from '#operations/follow-subjects.ts';
import { beginBuilding, forgetGenerationsBefore, RebuildSuperseded, showGeneration } from '#persistence/generations.ts';
import { keepProject } from '#persistence/projects.ts';
import type { TakeTurns } from '#persistence/rebuild-lock.ts';
import { recordsOf } from './records.ts';

interface RebuildDependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly takeTurns: TakeTurns;
}

/**
 * Makes a project's figures anew from what the owners of its records tell, while facts go on being kept, and then shows
 * them in one step; until then the former ones are shown. What each subscription was worth before is taken from its
 * chapters. A rebuild that dies leaves rows that nobody sees and the next one deletes. `onFollowed` is told how many
 * records each step followed.
 * @throws RebuildSuperseded when another rebuild of the project began meanwhile
 * @throws Problem 503 when an owner does not answer for a minute
 */
export function rebuildProject({ em, rpc, takeTurns }: RebuildDependencies) {
  return (project: ProjectState, onFollowed: (count: number) => void = () => undefined): Promise<void> => {
    const scope = { teamId: project.teamId, projectId: project.id };
    return takeTurns(scope, async () => {
      await keepProject(em.fork(), project);
      const generation = await beginBuilding(em, scope);
      await forgetGenerationsBefore(em, scope, generation);
      const write: ChooseGenerations = ({ building }) => {
        if (building !== generation) throw new RebuildSuperseded(scope);
        return [generation];
      };
      let newestAt: Date | null = null;
      for await (const sightings of recordsOf(rpc, scope)) {
        const unseen = await em.fork().transactional(tx => followSubjects(tx, sightings, { write, areNews: false }));
        newestAt = later(newestAt, unseen.get(scope.projectId) ?? null);
        onFollowed(sightings.length);
      }
      await showGeneration(em, scope, { generation, newestAt });
      await forgetGenerationsBefore(em, scope, generation);
    });
  };
}

const later = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one > other ? one : other) : (one ?? other);
