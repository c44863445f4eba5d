const VERB = /\b(select|insert|update|delete|begin|commit|rollback|lock|set|create|alter)\b/i;
/** Not `extract(epoch from until)`, and not `from unnest($1)`. */
const TABLE = /(?<!\bepoch )\b(?:from|into|update|table|join)\s+"?(?:\w+"?\."?)?(\w+)\b(?!\()/i;

/** Returns the first verb of a statement, in lower case; `unknown` without one. */
export const verbOf = (sql: unknown): string => VERB.exec(textOf(sql))?.[0].toLowerCase() ?? 'unknown';

/** Returns the verb of a statement and the first table that it names: the rest may have values, such as customers' data. */
export function summaryOf(sql: unknown): string {
  const [, table] = TABLE.exec(textOf(sql)) ?? [];
  return table === undefined ? verbOf(sql) : `${verbOf(sql)} ${table}`;
}

/** A statement is its text, or an object with it. */
function textOf(sql: unknown): string {
  const text: unknown = typeof sql === 'string' ? sql : Object(sql).text;
  return typeof text === 'string' ? text : '';
}
