/** An event as the processor told of it. */
export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  /** Whole seconds since 1970. */
  readonly created: number;
  readonly data: {
    // The processor's object; each model reads the fields it is about.
    // eslint-disable-next-line typescript/no-explicit-any
    readonly object: any;
  };
}

/** Within one second a birth comes first and an end last. */
const rankOf = ({ type }: ToldEvent): number => (type.endsWith('.created') ? 0 : type.endsWith('.deleted') ? 2 : 1);

/**
 * Folds the events about one kind of object, for each object in the order that counts: by `created`, by rank, and then
 * as the processor told them, which is the order `told` has. Nothing else but the processor itself knows the last.
 */
export function foldEach<State>(
  told: readonly ToldEvent[],
  types: RegExp,
  follow: (state: State | undefined, event: ToldEvent) => State,
): Map<string, State> {
  const ordered = told
    .filter(({ type }) => types.test(type))
    .toSorted((one, other) => one.created - other.created || rankOf(one) - rankOf(other));
  const states = new Map<string, State>();
  for (const event of ordered) {
    const id = String(event.data.object.id);
    states.set(id, follow(states.get(id), event));
  }
  return states;
}
