import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { findPart } from '@billing/service/find-part';
import type { z } from 'zod';
import { Subscription } from '#persistence/subscription.entity.ts';
import { toState } from '#wire/subscription.ts';

type Asked = z.output<typeof ListSubscriptionStates.request>;

/** A part of a project's subscriptions, those that have ended too. */
export function listSubscriptionStates(em: EntityManager) {
  return async ({ after, limit, ...scope }: Asked) => {
    const rows = await findPart(em.fork(), Subscription, scope, { after, limit });
    const records = rows.map(row => ({ recordedAt: row.updatedAt, state: toState(row) }));
    return { records, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  };
}
