import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { scopedKey } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import type { Source } from '@billing/service/save-record';
import { isDeepStrictEqual } from 'node:util';
import { saveSubscriptions, type SavedSubscription } from '#record/save';
import { subscriptionRows, toProjectObject } from '#record/subscription-rows';
import { toState } from '#record/subscription.entity';

/** What came of a payment method that is to be used from now on. */
export interface Replacement {
  readonly paymentMethodId: string;
  /** The processor's ids of the subscriptions that use it. */
  readonly using: readonly string[];
  /** Those that refused it, and what the processor said. */
  readonly refused: ReadonlyMap<string, string>;
}

/** A replacement, and the event of the session that it is of. */
interface SavedReplacement {
  readonly scope: ProjectScope;
  readonly source: Source;
  readonly replacement: Replacement;
}

/** Records on subscriptions that they have refused a payment method, or do not any more, and publishes it. */
export async function saveReplacements(
  tx: EntityManager,
  replacements: readonly SavedReplacement[],
  { publish, now }: { readonly publish: Publish; readonly now: Date },
): Promise<void> {
  const outcomes = new Map(
    replacements.flatMap(({ scope, source, replacement: { paymentMethodId, using, refused } }) => {
      const at = source.at.toISOString();
      const ofRefused = [...refused].map(([id, message]) => ({ id, refusal: { paymentMethodId, message, at } }));
      const all = [...using.map(id => ({ id, refusal: null })), ...ofRefused];
      return all.map(({ id, refusal }) => [scopedKey({ scope, id }), { object: { scope, id }, refusal, source }]);
    }),
  );
  const objects = [...outcomes.values()].map(({ object }) => object);
  await subscriptionRows.lock(tx, objects);
  const saved: SavedSubscription[] = [];
  for (const row of (await subscriptionRows.find(tx, objects)).values()) {
    const outcome = outcomes.get(scopedKey(toProjectObject(row)));
    if (!outcome || isDeepStrictEqual(row.refusedPaymentMethod, outcome.refusal)) continue;
    const before = toState(row);
    row.refusedPaymentMethod = outcome.refusal;
    saved.push({ row, before, source: outcome.source });
  }
  await saveSubscriptions(tx, publish, saved, now);
}
