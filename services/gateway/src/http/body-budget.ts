/** How much of all bodies together may be in memory. */
export interface BodyBudget {
  /** Returns whether a body of this size would fit at the moment. */
  fits(owner: string, bytes: number): boolean;
  /** Holds bytes that have arrived; false: they do not fit, and are not held. */
  hold(owner: string, bytes: number): boolean;
  release(owner: string, bytes: number): void;
}

/** The part of the budget that one owner may use. */
const SHARE = 1 / 4;

/**
 * Opens a budget of so many bytes. An owner is an address: one alone cannot use up the budget of all. No semaphore, since
 * nobody waits, a body takes its bytes piece by piece, and each piece has to fit into two bounds.
 */
export function openBodyBudget(maxBytes: number): BodyBudget {
  const byOwner = new Map<string, number>();
  let held = 0;

  const add = (owner: string, bytes: number): void => {
    held += bytes;
    const ofOwner = (byOwner.get(owner) ?? 0) + bytes;
    if (ofOwner === 0) byOwner.delete(owner);
    else byOwner.set(owner, ofOwner);
  };
  const fits: BodyBudget['fits'] = (owner, bytes) =>
    held + bytes <= maxBytes && (byOwner.get(owner) ?? 0) + bytes <= maxBytes * SHARE;

  return {
    fits,
    hold(owner, bytes) {
      if (!fits(owner, bytes)) return false;
      add(owner, bytes);
      return true;
    },
    release: (owner, bytes) => add(owner, -bytes),
  };
}
