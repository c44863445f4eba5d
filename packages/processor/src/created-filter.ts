/** Selects what an operation created. */
export interface CreatedFilter {
  /** All of these are in the object's metadata. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The operation's time; clocks may differ by a day. */
  readonly since: Date;
}
