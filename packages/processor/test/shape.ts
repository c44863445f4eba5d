export type Path = readonly (string | number)[];

/** An object in one shape, the fields that may have an unknown word, and those that may be absent or null. */
export interface Shape {
  readonly name: string;
  readonly read: (raw: unknown) => unknown;
  readonly object: object;
  readonly words: readonly Path[];
  readonly optional: readonly Path[];
}

/** When all of them were created: in seconds, as the processor says it. */
export const created = 1_700_000_000;
