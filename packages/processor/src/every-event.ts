import type { EventFilter, EventPage, Processor } from './port.ts';

/** Lists all events that match a filter, newest first, over all pages. */
export async function listEveryEvent(
  processor: Pick<Processor, 'listEvents'>,
  filter: EventFilter = {},
): Promise<EventPage['events']> {
  const found: EventPage['events'][number][] = [];
  for (;;) {
    const { events, hasMore } = await processor.listEvents({ ...filter, startingAfter: found.at(-1)?.id });
    found.push(...events);
    if (!hasMore || events.length === 0) return found;
  }
}
