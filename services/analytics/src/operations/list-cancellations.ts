import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { CancellationCount } from '@billing/contracts/resources/analytics';
import { windowOf } from '#domain/window.ts';
import { countCanceled } from '#persistence/listed-subscriptions.ts';
import { readProject } from '#persistence/projects.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/**
 * Counts the subscriptions whose end was requested in the last days, and not taken back, by the reason that the customer
 * gave; the most frequent first. Reads the index of the cancellations in the window.
 */
export function listCancellations({ em, now }: Dependencies) {
  return async (scope: ProjectScope, growthDays: number): Promise<{ cancellations: CancellationCount[] }> => {
    const { rows } = await readProject(em, scope, (tx, current) =>
      countCanceled(tx, current, windowOf(now(), growthDays)),
    );
    return { cancellations: [...rows] };
  };
}
