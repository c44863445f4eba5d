import { readFile, writeFile } from 'node:fs/promises';
import { catalogDocument, type CatalogDocument } from '@billing/contracts/resources/catalog-document';

/**
 * Reads a document.
 * @throws Error that names every wrong place with its path
 */
export async function readDocument(file: string): Promise<CatalogDocument> {
  const { data, error } = catalogDocument.safeParse(parsed(file, await readFile(file, 'utf8')));
  if (data) return data;
  const places = error.issues.map(({ path, message }) => `\n  ${path.join('.') || 'document'}: ${message}`);
  throw new Error(`${file} is no document of a catalog:${places.join('')}`);
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is no JSON: ${String(cause)}`, { cause });
  }
}

/** Writes a document as its canonical text, unless the file has that; returns whether it was written. */
export async function writeDocument(file: string, catalog: object): Promise<boolean> {
  const text = `${JSON.stringify(catalog, null, 2)}\n`;
  if ((await readFile(file, 'utf8').catch(() => null)) === text) return false;
  await writeFile(file, text);
  return true;
}
