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
  const places = error.issues.map(issue => `\n  ${issue.path.join('.') || what}: ${messageOf(issue)}`);
  throw new Error(`${file} is no ${what}:${places.join('')}`);
}

/** Of a key that may not be so, what is wrong with it. */
const messageOf = (issue: z.core.$ZodIssue): string =>
  (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;

function parsed(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new Error(`${file} is no YAML: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
