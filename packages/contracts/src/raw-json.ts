/**
 * Returns an object in JSON: `fields`, and then members whose values are JSON already and go in as they are, so that they
 * are neither parsed nor written again. The names must not need escapes, nor occur among the fields.
 */
export function withRawJson(fields: object, members: Readonly<Record<string, string>>): string {
  const written = JSON.stringify(fields).slice(1, -1);
  const raw = Object.entries(members).map(([name, json]) => `"${name}":${json}`);
  return `{${(written === '' ? raw : [written, ...raw]).join(',')}}`;
}
