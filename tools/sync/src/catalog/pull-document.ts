import type { BillingClient } from '@billing/client';
import type { CatalogArguments } from './arguments.ts';
import { collect } from './collect.ts';
import { writeDocument } from './document-file.ts';
import { proposeKeys } from './proposed-keys.ts';

/** Writes the document of a project to a file, and returns what to say about it. */
export async function pullDocument(
  client: BillingClient,
  { file, adopt }: Pick<CatalogArguments, 'file' | 'adopt'>,
): Promise<string> {
  const exported = await client.catalog.export();
  const { catalog, proposed, left } = adopt
    ? proposeKeys(exported, await readRecords(client))
    : { catalog: exported.catalog, proposed: [], left: exported.unkeyed };
  const isWritten = await writeDocument(file, catalog);
  const lines = [
    isWritten ? `${file} is written.` : `${file} is up to date.`,
    ...proposed.map(({ type, key, name }) => `  + ${type} ${key}  ${name}`),
    ...left.map(({ type, id, name }) => `  · ${type} ${id}  ${name}: has no key, and is not in the document`),
    proposed.length > 0 && `Change the keys as you like; then: npm run catalog -- apply ${file} --adopt …`,
  ];
  return lines.filter(line => line !== false).join('\n');
}

const PAGE = { limit: 100 };

/** Reads what is for sale. */
async function readRecords({ products, prices, coupons, promotionCodes, features }: BillingClient) {
  return {
    products: await collect(products.list(PAGE)),
    prices: await collect(prices.list(PAGE)),
    coupons: await collect(coupons.list(PAGE)),
    promotionCodes: await collect(promotionCodes.list(PAGE)),
    given: await collect(features.listGiven(PAGE)),
    readAt: new Date(),
  };
}
