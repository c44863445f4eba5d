import { isDeepStrictEqual } from 'node:util';
import type { FieldDifference } from '@billing/contracts/resources/sync';

/** Returns the fields of `theirs` whose values differ, with both values as JSON. */
export function fieldDifferences<Content extends object>(ours: Content, theirs: Content): FieldDifference[] {
  return Object.keys(theirs)
    .filter(field => !isDeepStrictEqual(Reflect.get(ours, field), Reflect.get(theirs, field)))
    .map(field => ({ field, ours: asJson(Reflect.get(ours, field)), theirs: asJson(Reflect.get(theirs, field)) }));
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
