import { EventEmitter, once } from 'node:events';

/** How often somebody who waits looks again, in milliseconds: what tells of new events may be lost. */
const POLL_MS = 1_000;

/** Tells those who wait in this process that events of a team were recorded. */
export interface RecordedEvents {
  readonly emit: (teamId: string) => void;
  /** Calls back each time, until the returned function is called. */
  readonly on: (teamId: string, callback: () => void) => () => void;
  /** Fulfilled when an event of the team may have been recorded, and after `maxMs` at the latest. */
  readonly next: (teamId: string, maxMs: number) => Promise<void>;
}

export function openRecordedEvents(): RecordedEvents {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    emit: teamId => void emitter.emit(teamId),
    on(teamId, callback) {
      emitter.on(teamId, callback);
      return () => void emitter.off(teamId, callback);
    },
    async next(teamId, maxMs) {
      const signal = AbortSignal.timeout(Math.ceil(Math.max(0, Math.min(POLL_MS, maxMs))));
      await once(emitter, teamId, { signal }).catch(() => undefined);
    },
  };
}
