import { EventEmitter, once } from 'node:events';
import type { ProjectScope } from '@billing/contracts/ids';

/** How often somebody who waits looks again: another copy may have recorded an event. */
const POLL_MS = 500;

/** Tells those who wait in this process that events of a project were recorded. */
export interface RecordedEvents {
  readonly emit: (scope: ProjectScope) => void;
  /** Fulfilled when an event of the project may have been recorded, and after `maxMs` at the latest. */
  readonly next: (scope: ProjectScope, maxMs: number) => Promise<void>;
}

export function openRecordedEvents(): RecordedEvents {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  const nameOf = ({ teamId, projectId }: ProjectScope) => `${teamId} ${projectId}`;
  return {
    emit: scope => void emitter.emit(nameOf(scope)),
    async next(scope, maxMs) {
      const signal = AbortSignal.timeout(Math.max(0, Math.min(POLL_MS, maxMs)));
      await once(emitter, nameOf(scope), { signal }).catch(() => undefined);
    },
  };
}
