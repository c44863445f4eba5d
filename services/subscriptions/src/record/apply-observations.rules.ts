import { hasEnded } from '@billing/contracts/resources/subscription';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { sortByPosition, type EventPosition } from '@billing/processor/event-order';
import {
  bringsChange,
  decideOnObservation,
  endByCustomer,
  laterPosition,
  winsUnread,
  type RecordedState,
  type Reread,
} from './observation.rules.ts';
import { canceledAt, readTerms } from './subscription.rules.ts';

/** One event of a subscription. */
export interface Observation {
  readonly snapshot: SubscriptionSnapshot;
  readonly position: EventPosition;
  /** What the processor returned when it was read because of this event; `missing` if it has no such subscription. */
  readonly reread: Reread | 'missing' | null;
  /** Whether a sync read it, in place of an event. */
  readonly isRead?: boolean | undefined;
}

/** A record after events. */
interface Applied<Event> {
  /** The same object as before when the events add nothing. */
  readonly state: RecordedState;
  /** The event that made the last change of the terms, if any did. */
  readonly cause: Event | undefined;
  /** Events that changed nothing because the processor must be read first. */
  readonly unprepared: readonly Event[];
}

/** Applies events of one subscription to its record, the oldest first. */
export function applyObservations<Event extends Observation>(
  recorded: { readonly state: RecordedState; readonly version: number },
  events: readonly Event[],
): Applied<Event> {
  let { state } = recorded;
  let cause: Event | undefined;
  const unprepared: Event[] = [];
  for (const event of sortByPosition(events)) {
    // What this batch has added makes a read from before it outdated.
    const next = applyOne({ state, version: state === recorded.state ? recorded.version : undefined }, event);
    if (next === 'unprepared') {
      unprepared.push(event);
    } else {
      if (next.terms !== state.terms) cause = event;
      state = next;
    }
  }
  return { state, cause, unprepared };
}

/** Returns the same object when the event adds nothing, and the same terms when it confirms them. */
function applyOne(
  recorded: { readonly state: RecordedState; readonly version: number | undefined },
  { snapshot, position, reread, isRead }: Observation,
): RecordedState | 'unprepared' {
  const { state } = recorded;
  const terms = readTerms(snapshot, { observedAt: position.at, recorded: state.terms });
  const applied = { terms, position, readAt: null };
  const end = endByCustomer(state);
  // What it was until then, the newest of its own events tells.
  if (end && !hasEnded(terms.status) && position.at < end && winsUnread(position, state.position))
    return { ...state, terms: canceledAt(terms, end), position };
  const decision = decideOnObservation(state, terms, position, { isRead });
  if (decision === 'ignore') return state;
  if (decision === 'confirm') {
    const newest = laterPosition(state.position, position);
    return newest === state.position ? state : { ...state, position: newest };
  }
  if (decision === 'apply') return applied;
  if (!reread) return 'unprepared';
  if (reread === 'missing') return winsUnread(position, state.position) ? applied : state;
  const reapplied = applyReread(state, reread, position);
  // An outdated read that shows what is recorded does no harm.
  return reread.version === recorded.version || reapplied.terms === state.terms ? reapplied : 'unprepared';
}

/**
 * Applies a read of the record's current version: an event that the record has included since may be newer than the read,
 * even if it only confirmed what was recorded. `position` is that of the event that led to the read.
 */
export function applyReread(
  state: RecordedState,
  { snapshot, readAt }: Reread,
  position: EventPosition | null = null,
): RecordedState {
  const terms = readTerms(snapshot, { observedAt: readAt, recorded: state.terms });
  return {
    terms: bringsChange(state.terms, terms) ? terms : state.terms,
    position: laterPosition(state.position, position),
    readAt: state.readAt && state.readAt > readAt ? state.readAt : readAt,
  };
}
