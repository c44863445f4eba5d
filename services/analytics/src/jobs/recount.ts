import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Logger } from 'pino';
import { RebuildSuperseded } from '#persistence/generations.ts';
import { findOutdated, isOutdated } from '#persistence/projects.ts';
import type { WithRebuildLock } from '#persistence/rebuild-lock.ts';
import { readProjects } from '../rebuild/owner-states.ts';
import { rebuildProject } from '../rebuild/rebuild-project.ts';

const RETRY_MS = 30_000;

interface RecountParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly withRebuildLock: WithRebuildLock;
  readonly logger: Logger;
}

/** Another copy of the service was faster. */
class AlreadyRecounted extends Error {
  override readonly name = 'AlreadyRecounted';
}

/**
 * Rebuilds, once after the start, every project that an older version of this service counted. Requests read the former
 * metrics meanwhile. Returns a function that stops it; what is left is done after the next start.
 */
export function startRecount(parts: RecountParts): () => Promise<void> {
  const stopping = new AbortController();
  const running = recount(parts, stopping.signal);
  return async () => {
    stopping.abort();
    await running;
  };
}

async function recount({ em, rpc, withRebuildLock, logger }: RecountParts, signal: AbortSignal): Promise<void> {
  const unlessDone: WithRebuildLock = (scope, work) =>
    withRebuildLock(scope, async () => {
      if (!(await isOutdated(em, scope))) throw new AlreadyRecounted();
      return work();
    });
  const rebuild = rebuildProject({ em, rpc, withRebuildLock: unlessDone });

  /** Returns whether the project is done. */
  const recountOne = async ({ projectId }: ProjectScope): Promise<boolean> => {
    try {
      for await (const project of readProjects(rpc, projectId)) await rebuild(project, () => signal.throwIfAborted());
      return true;
    } catch (err) {
      if (err instanceof AlreadyRecounted || err instanceof RebuildSuperseded) return true;
      if (!signal.aborted) logger.warn({ err, projectId }, 'project not counted again yet, will try again');
      return false;
    }
  };

  try {
    let left = await findOutdated(em);
    while (left.length > 0 && !signal.aborted) {
      const failed: ProjectScope[] = [];
      for (const scope of left) if (signal.aborted || !(await recountOne(scope))) failed.push(scope);
      left = failed;
      if (left.length > 0) await delay(RETRY_MS, undefined, { signal });
    }
  } catch (err) {
    if (!signal.aborted) logger.error({ err }, 'projects not counted again; restart the service');
  }
}
