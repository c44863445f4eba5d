import type { BillingClient } from '@billing/client';
import type { CatalogArguments } from './arguments.ts';
import { writeDocument } from './document-file.ts';

/** Writes the document of a project to a file, and returns what to say about it. */
export async function pullDocument(
  client: BillingClient,
  { file, adopt }: Pick<CatalogArguments, 'file' | 'adopt'>,
): Promise<string> {
  const { catalog, unkeyed } = await client.catalog.export({ adopt });
  const isProposed = ({ proposedKey }: (typeof unkeyed)[number]) => proposedKey !== undefined;
  const [proposed, left] = [unkeyed.filter(isProposed), unkeyed.filter(one => !isProposed(one))];
  const isWritten = await writeDocument(file, catalog);
  const lines = [
    isWritten ? `${file} is written.` : `${file} is up to date.`,
    ...proposed.map(({ type, proposedKey, name }) => `  + ${type} ${proposedKey}  ${name}`),
    ...left.map(({ type, id, name }) => `  · ${type} ${id}  ${name}: has no key, and is not in the document`),
    proposed.length > 0 && `Change the keys as you like; then: npm run catalog -- apply ${file} --adopt …`,
  ];
  return lines.filter(line => line !== false).join('\n');
}
