/**
 * Compares what a side shows, by id, with what it must show.
 * @throws Error with the number of differences and the first one
 */
export function requireSame(
  what: string,
  actual: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): void {
  const wrong = [...expected].filter(([id, state]) => actual.get(id) !== state);
  const [first] = wrong;
  if (first) {
    const [id, state] = first;
    const message = `${wrong.length} of ${expected.size} ${what} differ: ${id} is "${actual.get(id)}", not "${state}".`;
    throw new Error(message);
  }
  if (actual.size > expected.size) throw new Error(`${actual.size} ${what} exist, expected ${expected.size}.`);
}
