import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { CancellationCount } from '@billing/contracts/resources/analytics';
import { windowUntil } from '#domain/window.ts';
import { countCanceled } from '#persistence/listed-subscriptions.ts';
import { readProject } from '#persistence/projects.ts';

type Query = z.output<typeof analyticsOperations.listCancellations.query>;

interface Dependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/**
 * Counts the subscriptions whose end was requested in the window, and not taken back, by the reason that the customer
 * gave; the most frequent first. Reads the index of the cancellations in the window.
 */
export function listCancellations({ em, now }: Dependencies) {
  return async (scope: ProjectScope, { growthDays, to }: Query): Promise<{ cancellations: CancellationCount[] }> => {
    const { rows } = await readProject(em, scope, (tx, current) =>
      countCanceled(tx, current, windowUntil(now(), growthDays, to)),
    );
    return { cancellations: [...rows] };
  };
}
