import type { Envelope } from '@billing/contracts/event';
import type { TeamId } from '@billing/contracts/ids';
import {
  isHandled,
  processorEvent,
  processorObjectOf,
  PROCESSOR_EVENT_OWNERS,
  type ProcessorEventData,
  type ProcessorEventType,
} from '@billing/contracts/processor-events';
import { UnreadableObject, type ReadAgain } from '@billing/messaging/consumer/read-again';
import { missingOrThrow } from './errors.ts';
import { API_VERSION } from './stripe-client.ts';
import { CutList, InvalidObject, isCutList } from './snapshots/fields.ts';
import type { TeamProcessors } from './team-processors.ts';

/**
 * Parses the object that an event carries.
 * @throws UnreadableObject when it has no shape that we know: the consumer then handles the event with the object as it is
 * at the processor
 */
export function readObject<Snapshot>(
  { object }: Pick<ProcessorEventData, 'object'>,
  read: (raw: unknown) => Snapshot,
): Snapshot {
  try {
    return read(object);
  } catch (err) {
    const reason = err instanceof InvalidObject ? err.message : 'its shape is unknown';
    throw new UnreadableObject(`The event's object cannot be read: ${reason}`, { cause: err });
  }
}

/** The types by the names under which the events are published. */
const TYPES: ReadonlyMap<string, ProcessorEventType> = new Map(
  Object.keys(PROCESSOR_EVENT_OWNERS)
    .filter(isHandled)
    .map(type => [processorEvent(type).name, type]),
);

/**
 * Reads the objects of webhook events at the processor, in the API version that we use. Of an object that only cuts a list
 * the rest of the list is read, so that it shows what the event showed.
 */
export function readObjectAgain(processors: TeamProcessors): ReadAgain {
  return async (event, { cause }) => {
    const type = TYPES.get(event.type);
    const id = objectIdOf(event);
    if (!type || id === null) return null;
    const processor = await processors.of(event.teamId as TeamId); // webhook events are published for teams only
    const { object: cut, objectOmitted } = event.data as ProcessorEventData; // its handler has parsed it
    if (cause instanceof CutList && !objectOmitted) {
      const whole = await processor.completeLists(cut).catch(missingOrThrow);
      return { ...event, data: { ...Object(event.data), object: whole === 'missing' ? withoutRest(cut) : whole } };
    }
    const object = await processor.findObject(processorObjectOf(type), id);
    const data = {
      ...Object(event.data),
      object,
      apiVersion: API_VERSION,
      previousAttributes: null,
      objectOmitted: undefined,
    };
    return object && { ...event, data };
  };
}

/** An object that the processor does not have any more: nothing else can be known of its lists. */
const withoutRest = (object: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, isCutList(value) ? { ...value, has_more: false } : value]),
  );

function objectIdOf({ data }: Envelope): string | null {
  const id: unknown = Reflect.get(Object(Reflect.get(Object(data), 'object')), 'id');
  return typeof id === 'string' && id !== '' ? id : null;
}
