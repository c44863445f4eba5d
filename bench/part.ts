/** How to measure. */
export interface PartOptions {
  /** How many times each side is measured, in turn. */
  readonly rounds: number;
  /** Divides the amounts of data, for a quick look; results count only with 1. */
  readonly scale: number;
}

/** One line of the table. */
export interface Result {
  /** What was measured, with its unit: `webhooks acknowledged/s`. */
  readonly what: string;
  readonly billing: string;
  /** The other side's value, or what it was compared with; a dash if nothing. */
  readonly against: string;
  /** Our value divided by the other side's, where that says something. */
  readonly ratio?: number;
  /** What to reach, as a reader understands it: `at least 4 ×`. */
  readonly goal: string;
  readonly isReached: boolean;
}

/** One benchmark. It starts its own system, and stops it. */
export interface Part {
  /** By which `npm run bench -- <name>` selects it. */
  readonly name: string;
  /**
   * Measures both sides in turn in one run, and prints a line per round.
   * @throws Error instead of returning results, when something sent was lost or is not exact
   */
  measure(options: PartOptions): Promise<readonly Result[]>;
}
