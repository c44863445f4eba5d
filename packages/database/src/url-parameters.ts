/**
 * Returns the parameters of a server's URL, of which each of `known` may stand once.
 * @throws what `refused` makes of the reason, for an unknown or repeated one: a setting that would not be used is no setting
 */
export function urlParameters<Name extends string>(
  given: URLSearchParams,
  known: readonly Name[],
  refused: (reason: string) => Error,
): Readonly<Partial<Record<Name, string>>> {
  const parameters: Partial<Record<Name, string>> = {};
  for (const [name, value] of given) {
    const found = known.find(one => one === name);
    if (found === undefined)
      throw refused(`the parameter ${name} is not used, so remove it; known are ${known.join(', ')}`);
    if (found in parameters) throw refused(`the parameter ${name} stands there twice`);
    parameters[found] = value;
  }
  return parameters;
}
