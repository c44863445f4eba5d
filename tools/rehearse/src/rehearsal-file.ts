import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { catalogDocument, type CatalogDocument } from '@billing/contracts/resources/catalog-document';
import { parse } from 'yaml';
import type { z } from 'zod';
import { rehearsal, type Rehearsal } from './rehearsal.ts';

/** A rehearsal, and what is sold in it if it says that. */
export interface ReadRehearsal extends Omit<Rehearsal, 'catalog' | 'catalogFile'> {
  readonly catalog: CatalogDocument | undefined;
}

/**
 * Reads a rehearsal, and the file of its catalog: both are YAML, and so may be JSON.
 * @throws Error that names every wrong place with its path
 */
export async function readRehearsal(file: string): Promise<ReadRehearsal> {
  const { catalog, catalogFile, ...read } = await readAs(rehearsal, file, 'rehearsal');
  if (catalogFile === undefined) return { ...read, catalog };
  return { ...read, catalog: await readAs(catalogDocument, resolve(dirname(file), catalogFile), 'catalog') };
}

async function readAs<Schema extends z.ZodType>(schema: Schema, file: string, what: string): Promise<z.output<Schema>> {
  const { data, error } = schema.safeParse(parsed(file, await readFile(file, 'utf8')));
  if (!error) return data;
  const places = error.issues.map(({ path, message }) => `\n  ${path.join('.') || what}: ${message}`);
  throw new Error(`${file} is no ${what}:${places.join('')}`);
}

function parsed(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new Error(`${file} is no YAML: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
