import { hash } from 'node:crypto';
import type { PublishMessage } from './bus.ts';
import { divide, groupByMessage, toMessage, type Group } from './message.ts';
import type { NewEvent } from './new-event.ts';

/** On their way to the bus at the same time, in characters: their messages are written anew. */
const MAX_SIZE = 8 * 1_048_576;

/**
 * Publishes events that are stored as something else than messages, grouped anew each time. Returns why events were not published;
 * of a message, all of them or none were.
 */
export async function publishTogether(
  publish: PublishMessage,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<NewEvent, unknown>> {
  const failed = new Map<NewEvent, unknown>();
  const publishGroup = async (group: Group) => {
    try {
      await publish(toMessage(group, idOf(group)));
    } catch (err) {
      for (const event of group) failed.set(event, err);
    }
  };
  for (const part of divide(groupByMessage(events), sizeOf, MAX_SIZE)) await Promise.all(part.map(publishGroup));
  return failed;
}

const sizeOf = (group: Group): number => group.reduce((sum, { data }) => sum + data.length, 0);

/** The repeat of a message with the same events is dropped by the bus; that of one of its events is not. */
function idOf(group: Group): string {
  const [first, ...others] = group;
  return others.length === 0 ? first.id : hash('sha256', group.map(event => event.id).join(' '));
}
