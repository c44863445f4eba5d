import { EventEmitter } from 'node:events';

/** Tells the turns of this process that events of their team were recorded. */
export interface RecordedEvents {
  readonly emit: (teamId: string) => void;
  /** Calls back each time, until the returned function is called. */
  readonly on: (teamId: string, callback: () => void) => () => void;
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
  };
}
