import { textArray } from '@billing/database/bound-statement';

/** One column of many rows as a value for `$1::text[]`; needs at least one row. */
export const textColumn = <Row>(rows: readonly Row[], value: (row: Row) => string): Buffer =>
  textArray(rows.map(value));

/** One column of many rows as a value for `$1::int[]`. */
export const numberColumn = <Row>(rows: readonly Row[], value: (row: Row) => number): string =>
  `{${rows.map(value).join(',')}}`;

/** One column of many rows as a value for `$1::float8[]`, in milliseconds since 1970: `to_timestamp(it / 1000)`. */
export const timeColumn = <Row>(rows: readonly Row[], value: (row: Row) => Date | null | undefined): string =>
  `{${rows.map(row => value(row)?.getTime() ?? 'null').join(',')}}`;

/** Selects a time as milliseconds since 1970; read it with `timeFrom`. */
export const milliseconds = (column: string): string => `date_part('epoch', ${column}) * 1000`;

/** Groups rows by the key that they belong to; a row has the number of its key, from 1 on. */
export function groupByKey<Key, Row extends { readonly key: number }>(
  keys: readonly Key[],
  rows: readonly Row[],
): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keys[row.key - 1];
    if (key === undefined) throw new Error(`PostgreSQL returned the number of a key that was not given: ${row.key}.`);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** The time that `milliseconds` selected: seconds as a floating-point number are off by less than a microsecond. */
export const timeFrom = (ms: number): Date => new Date(Math.round(ms));
