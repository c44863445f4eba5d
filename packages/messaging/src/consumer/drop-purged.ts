import { readPurged } from '../purged-teams.ts';
import type { HandleInTransaction } from './delivery.ts';

/** Drops events about records of a processor's account that were purged: they come late, and would bring rows back. */
export const dropPurged =
  (next: HandleInTransaction): HandleInTransaction =>
  async (tx, deliveries, publish) => {
    const isPurged = await readPurged(
      tx,
      deliveries.map(({ teamId }) => teamId),
    );
    const kept = deliveries.filter(({ event }) => !isPurged(event));
    return kept.length > 0 ? next(tx, kept, publish) : [];
  };
