/** A person who signed up. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** The people sign-in knows. */
export interface Users {
  /** `email` lower-cased; undefined when nobody signed up with it. */
  findByEmail(email: string): Promise<User | undefined>;
  /** Those of the ids that are known, in any order. */
  findAll(ids: readonly string[]): Promise<User[]>;
}
