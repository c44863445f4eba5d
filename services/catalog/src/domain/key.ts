import { CATALOG_KEY } from '@billing/contracts/metadata';
import { conflict, unprocessable, type Problem } from '@billing/contracts/problem';

/** Returns what the metadata of a record with a key have at the processor; nothing without one. */
export const keyMark = (key: string | null | undefined): Record<string, string> => (key ? { [CATALOG_KEY]: key } : {});

/**
 * Checks that a record can get a key: the same one again is no change.
 * @throws Problem 422 `catalog_key_set`
 */
export function requireSettable(current: string | null | undefined, wanted: string | undefined): void {
  if (current && wanted !== undefined && wanted !== current)
    throw unprocessable('catalog_key_set', 'It has another key already, and keeps it.');
}

/** 409: another active record of the kind has the key. */
export const keyTaken = (): Problem =>
  conflict('catalog_key_taken', 'Another active record of this kind in the project has this key.');
