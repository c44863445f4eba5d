import { isDeepStrictEqual } from 'node:util';
import type { EventType } from '@billing/contracts/event';
import type { EventObjectType, PublicEventType } from '@billing/contracts/event-types';
import { publicDataOf } from '@billing/contracts/events/public-data';
import type { PublicChange } from '@billing/contracts/events/record-event';
import type { ProjectScope } from '@billing/contracts/ids';
import type { EventCause } from '@billing/contracts/resources/event';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { previousAttributes, typesOfChange } from './event-of-change.ts';

/** When and why something changes. */
export interface Source {
  /** For a processor's event its time. */
  readonly at: Date;
  readonly cause: EventCause;
  /** Of the event that led to it; that of the request by default. */
  readonly trace?: TraceCarrier | undefined;
}

/** The row of a record. */
interface RecordRow extends ProjectScope {
  /** Counts how often the row was saved: consumers keep the highest, and a read from before the last one is outdated. */
  version?: number;
  /** Counts the record's events for tenants. */
  sequence: number;
  updatedAt?: Date;
  /** The test clock that it lives on: its events for tenants happen in real time, whatever time it is there. */
  readonly testClockId?: string | null;
}

/** What tells one kind of record from others where a change is saved. */
export interface RecordKind<Row, State extends object> {
  /** What tenants' events are about; records without it have none. */
  readonly object?: EventObjectType;
  /** Returns the whole state that the record's events carry. */
  readonly toState: (row: Row) => State;
  /** Returns the type of the event of a change. */
  readonly eventOf: (row: Row, before: State | null) => EventType;
}

interface Change<State> extends Source {
  /** What `toState` returned before the row was changed; null for a new one. */
  readonly before: State | null;
  readonly now: Date;
  readonly isDeleted?: boolean;
  /** What the event carries beside the state. */
  readonly carried?: object | undefined;
  /** An event for tenants that does not follow from the change. */
  readonly also?: PublicEventType | undefined;
}

/**
 * Saves a change of a record: counts it in the row, compares the row with what was loaded, and publishes the one event of the
 * change, with the new state and what was there before; returns false, with nothing published, when the state has not changed.
 * The caller writes the row in the same transaction. What tenants do not see of a change leaves `updatedAt`.
 */
export function saveRecord<Row extends RecordRow, State extends object>(
  publish: Publish,
  kind: RecordKind<Row, State>,
  row: Row,
  { before, now, isDeleted = false, carried, also, ...source }: Change<State>,
): boolean {
  const after = kind.toState(row);
  if (before && row.version !== undefined) row.version += 1;
  if (before && !also && !isDeleted && isDeepStrictEqual(before, after)) return false;
  const change =
    kind.object &&
    publicChangeOf(kind.object, { before, after, isDeleted, also }, row, {
      ...source,
      ...(row.testClockId && { at: now }),
    });
  if (change) row.sequence = change.sequence;
  if (change && row.updatedAt) row.updatedAt = now;
  const data = { ...kind.toState(row), ...carried, ...(change && { change }) };
  publish(kind.eventOf(row, before), row.teamId, data, source.trace);
  return true;
}

/** Returns what tenants see of a change; undefined when they see nothing of it. */
export function publicChangeOf(
  object: EventObjectType,
  change: Pick<Change<object>, 'before' | 'isDeleted' | 'also'> & { readonly after: object },
  { sequence }: Pick<RecordRow, 'sequence'>,
  { at, cause }: Source,
): PublicChange | undefined {
  const { isDeleted = false, also } = change;
  const view = (state: object) => publicDataOf(object, { ...state }) ?? {};
  const seen = { resource: view(change.after), previous: change.before && view(change.before) };
  // A deletion shows no more of the record than is left of it.
  const previous = isDeleted ? {} : previousAttributes(seen);
  const following = previous === undefined ? [] : typesOfChange(object, seen, { isDeleted });
  const types = also ? [...following, also] : following;
  if (types.length === 0) return undefined;
  return {
    types,
    sequence: sequence + types.length,
    at,
    cause,
    previousAttributes: previous === undefined ? {} : previous,
  };
}
