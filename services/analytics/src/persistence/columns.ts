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

/** The time that `milliseconds` selected: seconds as a floating-point number are off by less than a microsecond. */
export const timeFrom = (ms: number): Date => new Date(Math.round(ms));
