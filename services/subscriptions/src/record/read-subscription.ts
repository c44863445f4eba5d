import type { Processor } from '@billing/processor/port';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Dependencies } from '../dependencies.ts';
import type { Reread } from './observation.rules.ts';
import { subscriptionRows } from './subscription-rows.ts';

/** Reads a subscription from the team's processor, outside of any transaction. */
export function readSubscription({ em, processors, now }: Pick<Dependencies, 'em' | 'processors' | 'now'>) {
  return async (object: ProjectObject): Promise<Reread> => {
    const processor = await processors.of(object.scope.teamId);
    return readWith({ processor, em: em.fork(), now }, object);
  };
}

/** Does the same with a given processor. `em` is not shared. */
export async function readWith(
  { processor, em, now }: { processor: Processor } & Pick<Dependencies, 'em' | 'now'>,
  object: ProjectObject,
): Promise<Reread> {
  const rows = await subscriptionRows.find(em, [object]);
  const version = rows.get(scopedKey(object))?.version ?? null;
  const snapshot = await processor.findSubscription(object.id);
  return { snapshot, version, readAt: now() };
}
