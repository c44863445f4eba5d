import type { TeamId } from '@billing/contracts/ids';

/** Published events that are not complete yet: more would only wait on the bus, in front of the events of other teams. */
const MAX_EVENTS = 2_000;
/** Of one team. */
const MAX_OF_TEAM = 1_000;
/** How long an event counts without a completion, in milliseconds: another copy may have received it. */
const COUNTS_FOR_MS = 500;

/** Limits how many published events wait to be handled, so that the events of one team don't delay those of others. */
export interface PublicationWindow {
  add(teamId: TeamId, name: string): void;
  remove(name: string): void;
  /** How many events of the team may be published now. */
  roomOf(teamId: string): number;
  /** How many events may be published now. */
  room(): number;
}

/** Opens the window; `name` is unique for each event. */
export function openPublicationWindow(now: () => number = () => performance.now()): PublicationWindow {
  /** The oldest first. */
  const counted = new Map<string, { readonly teamId: TeamId; readonly since: number }>();
  const ofTeam = new Map<string, number>();

  const change = (teamId: TeamId, by: number): void => {
    const count = (ofTeam.get(teamId) ?? 0) + by;
    if (count > 0) ofTeam.set(teamId, count);
    else ofTeam.delete(teamId);
  };
  const remove = (name: string): void => {
    const event = counted.get(name);
    if (event && counted.delete(name)) change(event.teamId, -1);
  };
  const expire = (): void => {
    for (const [name, { since }] of counted) {
      if (since + COUNTS_FOR_MS > now()) return;
      remove(name);
    }
  };

  return {
    add(teamId, name) {
      remove(name);
      counted.set(name, { teamId, since: now() });
      change(teamId, 1);
    },
    remove,
    roomOf(teamId) {
      expire();
      return Math.min(MAX_OF_TEAM - (ofTeam.get(teamId) ?? 0), MAX_EVENTS - counted.size);
    },
    room() {
      expire();
      return MAX_EVENTS - counted.size;
    },
  };
}
