type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Returns null for each of the names, which are separated by spaces: the fields of what the local processor does not have. */
export const nulls = <Names extends string>(names: Names): Record<Words<Names>, null> =>
  // Object.fromEntries loses the names.
  Object.fromEntries(names.split(' ').map(name => [name, null])) as Record<Words<Names>, null>;
