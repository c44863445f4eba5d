import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { findPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { MAX_WEIGHT, weightOf } from './shown-states.rules.ts';
import { readShownStates } from './shown-states.ts';
import { Subscription, toChange } from './subscription.entity.ts';

type Request = z.output<typeof ListSubscriptionStates.request>;
type Reply = z.output<typeof ListSubscriptionStates.reply>;

/** How many states of a page are read; they weigh 2 or more. */
const MAX_STATES = MAX_WEIGHT / 2;

/**
 * Lists a page of a project's subscriptions with the states that were shown of them, as far as a message can carry both. The
 * next page begins after a subscription, and leaves out those states of the following one that came before.
 */
export function listStates(em: EntityManager) {
  return async ({ teamId, projectId, after, limit }: Request): Promise<Reply> => {
    const scope = { teamId, projectId };
    const start = readPlace(after);
    const rows = await findPage(em.fork(), Subscription, scope, { after: start.after, limit });
    const wanted = { ids: rows.map(({ id }) => id), skip: start.skip, limit: MAX_STATES };
    const shownStates = await readShownStates(em.fork(), scope, wanted);
    // If there may be more, the last subscription of which any were read may have more.
    const read = [...shownStates.values()].reduce((sum, { length }) => sum + length, 0);
    const cutId = read < MAX_STATES ? undefined : [...shownStates.keys()].at(-1);

    const records: Reply['records'] = [];
    let place = start;
    let weight = 0;
    for (const row of rows) {
      const states = shownStates.get(row.id) ?? [];
      weight += weightOf(row);
      const shown = states.filter((state, index) => (weight += weightOf(state)) <= MAX_WEIGHT || index === 0);
      records.push({ recordedAt: row.updatedAt, state: toChange(row, shown) });
      if (shown.length < states.length || row.id === cutId)
        return { records, next: writePlace({ ...place, skip: place.skip + shown.length }) };
      place = { after: row.id, skip: 0 };
      if (weight > MAX_WEIGHT) return { records, next: writePlace(place) };
    }
    return { records, next: rows.length < limit ? null : writePlace(place) };
  };
}

/** Where a page begins: after a subscription, and of the following one after so many states. */
interface Place {
  readonly after: string | null;
  readonly skip: number;
}

const writePlace = ({ after, skip }: Place): string => `${after ?? ''}:${skip}`;

function readPlace(text: string | null): Place {
  const [after = '', skip = '0'] = text?.split(':') ?? [];
  return { after: after === '' ? null : after, skip: Number(skip) };
}
