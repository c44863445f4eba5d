import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { SyncType } from '@billing/contracts/resources/sync';
import { rawTableOf } from '#pipeline/raw-object.rules';
import { findMirrored, openTeamSchemas } from '#pipeline/team-schema';
import { TRAITS } from './synced-objects.rules.ts';

/** Types of which nothing but their end is needed. */
const ENDED_WITHOUT_STATE: ReadonlySet<SyncType> = new Set(['customer', 'invoice']);

/**
 * Returns the last states, by Stripe's ids, of objects that are gone: what the team's schema has of them, which the events of their
 * ends would carry.
 */
export async function findLastStates(
  em: EntityManager,
  teamId: TeamId,
  type: SyncType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, object>> {
  if (ids.length === 0 || ENDED_WITHOUT_STATE.has(type)) return new Map();
  await openTeamSchemas(em).ensure([teamId]);
  return findMirrored(em, teamId, rawTableOf(TRAITS[type].observed), ids);
}
