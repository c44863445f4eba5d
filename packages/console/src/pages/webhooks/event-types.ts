import { EVENT_TYPES, type EventType } from '@billing/client';
import { sentence } from '#ui/sentence.ts';

/** The types of events, by name. */
export const TYPE_NAMES = Object.fromEntries(EVENT_TYPES.map(type => [type, { name: type }])) as Readonly<
  Record<EventType, { readonly name: string }> // `fromEntries` forgets the names
>;

interface Family {
  /** What stands for all of its types: `invoice.*`. */
  readonly all: string;
  readonly name: string;
  readonly types: readonly EventType[];
}

const prefixOf = (type: EventType): string => type.slice(0, type.indexOf('.'));

/** The types of events, by what they are about. */
export const FAMILIES: readonly Family[] = [...Map.groupBy(EVENT_TYPES, prefixOf)].map(([prefix, types]) => ({
  all: `${prefix}.*`,
  name: sentence(prefix),
  types,
}));

/** Says in a few words which types an endpoint gets. */
export function describeTypes(eventTypes: readonly string[]): string {
  if (eventTypes.includes('*')) return 'All events';
  const [first = '', ...rest] = eventTypes;
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
