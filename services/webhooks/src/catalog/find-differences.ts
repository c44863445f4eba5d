import { isDeepStrictEqual } from 'node:util';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { CountSubscriptionsOfPrices } from '@billing/contracts/rpc/catalog';
import type { RpcClient } from '@billing/messaging/rpc';
import type { CatalogRun } from './catalog-run.entity.ts';
import { compareCatalog } from './compare.rules.ts';
import { leavesSubscriptions, type CatalogFinding } from './finding.rules.ts';
import { itemsOf, withoutExpired, type CatalogItems } from './items.rules.ts';
import { readCatalog } from './read-catalog.ts';

/** What a project has that differs from a document. */
export interface Differences {
  readonly wanted: CatalogItems;
  readonly findings: readonly CatalogFinding[];
}

/**
 * Compares a project, as it is now, with the document of a run.
 * @throws Problem what `readCatalog` throws
 */
export function findDifferences({ rpc, now }: { readonly rpc: RpcClient; readonly now: () => Date }) {
  const read = readCatalog(rpc);
  return async (
    scope: ProjectScope,
    { document, prune, adopt }: Pick<CatalogRun, 'document' | 'prune' | 'adopt'>,
  ): Promise<Differences> => {
    const wanted = withoutExpired(itemsOf(document ?? { version: 1 }), now());
    return { wanted, findings: compareCatalog(wanted, await read(scope), { prune, adopt }) };
  };
}

/** Counts the subscriptions that stay on each price which is replaced or archived, by the price's id. */
export async function countSubscriptions(
  rpc: RpcClient,
  { teamId, projectId }: ProjectScope,
  findings: readonly CatalogFinding[],
): Promise<Readonly<Record<string, number>>> {
  const priceIds = findings.filter(leavesSubscriptions).flatMap(({ id }) => PriceId.schema.safeParse(id).data ?? []);
  return priceIds.length === 0 ? {} : rpc.call(CountSubscriptionsOfPrices, { teamId, projectId, priceIds });
}

type Pinned = Pick<CatalogFinding, 'type' | 'key' | 'id' | 'outcome' | 'action' | 'fields'>;

/**
 * Requires that a project differs as a report has shown.
 * @throws Problem 409 `catalog_changed` with the keys of what has changed since
 */
export function requireUnchanged(shown: readonly Pinned[], now: readonly Pinned[]): void {
  const keys = new Set<string>();
  const placeOf = ({ type, key }: Pinned) => `${type} ${key}`;
  const [before, after] = [shown, now].map(all => new Map(all.map(it => [placeOf(it), pinned(it)])));
  for (const it of [...shown, ...now])
    if (!isDeepStrictEqual(before?.get(placeOf(it)), after?.get(placeOf(it)))) keys.add(it.key);
  if (keys.size > 0) throw catalogChanged([...keys].toSorted());
}

const pinned = ({ id, outcome, action, fields }: Pinned) => ({ id, outcome, action, fields });

const catalogChanged = (keys: readonly string[]): Problem =>
  new Problem('conflict', 'catalog_changed', 'The catalog has changed since the report; make another one.', {
    details: { keys },
  });
