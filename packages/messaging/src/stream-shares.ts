/** A message that this process has published. */
interface Published {
  readonly teamId: string;
  readonly bytes: number;
  /** Its place in the stream. */
  readonly place: number;
}

/** Messages that were published one after another. */
interface Part {
  last: number;
  bytes: number;
  readonly ofTeams: Map<string, number>;
}

/**
 * Counts what teams have in a stream, as far as this process has published it: in parts of the stream, so that the memory it
 * takes does not grow with the messages. What was published before the process began is not counted.
 */
export function openStreamShares() {
  const parts: Part[] = [];
  const totals = new Map<string, number>();
  const change = (counts: Map<string, number>, teamId: string, bytes: number): void => {
    const total = (counts.get(teamId) ?? 0) + bytes;
    if (total > 0) counts.set(teamId, total);
    else counts.delete(teamId);
  };

  return {
    bytesOf: (teamId: string): number => totals.get(teamId) ?? 0,
    /** Counts a message; a part of the stream ends after so many bytes. */
    add({ teamId, bytes, place }: Published, partBytes: number): void {
      const open = parts.at(-1);
      const part =
        open && open.bytes < partBytes ? open : { last: place, bytes: 0, ofTeams: new Map<string, number>() };
      if (part !== open) parts.push(part);
      part.last = Math.max(part.last, place);
      part.bytes += bytes;
      change(part.ofTeams, teamId, bytes);
      change(totals, teamId, bytes);
    },
    /** Forgets the parts of which the stream has nothing any more, since it begins at `first`. */
    forgetBefore(first: number): void {
      for (let [oldest] = parts; oldest && oldest.last < first; [oldest] = parts) {
        parts.shift();
        for (const [teamId, bytes] of oldest.ofTeams) change(totals, teamId, -bytes);
      }
    },
  };
}
