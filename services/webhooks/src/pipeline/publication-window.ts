import type { TeamId } from '@billing/contracts/ids';
import type { TeamRooms } from '@billing/database/lease-rows';
import { nameOf, type PipelineEvent } from './lease.ts';

/** Published events that are not complete yet: more would only wait on the bus, in front of the events of other teams. */
const MAX_EVENTS = 2_000;
/** Of one team. */
const MAX_OF_TEAM = 1_000;
/** Of a team whose events come while others fill the window. */
const MIN_OF_TEAM = 50;
/** How soon an event is complete unless something is slow, in milliseconds. */
const USUAL_MS = 250;

type EventKey = Pick<PipelineEvent, 'teamId' | 'id'>;

/**
 * Limits how many published events wait to be handled, so that those of one team neither fill the bus nor delay those of
 * others. An event counts as its weight, and until it is complete.
 */
export interface PublicationWindow {
  add(event: EventKey, weight: number): void;
  remove(event: EventKey): void;
  /** How many events of the team may be published now. */
  roomOf(teamId: string): number;
  /** The same of every team. */
  rooms(): TeamRooms;
  /**
   * Events that have been counted for longer than usual: another copy may have received their completion. None while no team
   * has used half of its room.
   */
  overdue(): EventKey[];
}

/** Opens the window. */
export function openPublicationWindow(now: () => number = () => performance.now()): PublicationWindow {
  /** The oldest first. */
  const counted = new Map<string, { readonly event: EventKey; readonly weight: number; readonly since: number }>();
  const ofTeam = new Map<TeamId, number>();
  let total = 0;

  const change = (teamId: TeamId, by: number): void => {
    const weight = (ofTeam.get(teamId) ?? 0) + by;
    if (weight > 0) ofTeam.set(teamId, weight);
    else ofTeam.delete(teamId);
    total += by;
  };
  const remove = (event: EventKey): void => {
    const entry = counted.get(nameOf(event));
    if (entry && counted.delete(nameOf(event))) change(event.teamId, -entry.weight);
  };
  const roomBeside = (own: number): number =>
    Math.max(Math.min(MAX_OF_TEAM - own, MAX_EVENTS - total), MIN_OF_TEAM - own, 0);

  return {
    add({ teamId, id }, weight) {
      const event = { teamId, id };
      remove(event);
      counted.set(nameOf(event), { event, weight, since: now() });
      change(teamId, weight);
    },
    remove,
    roomOf: teamId => roomBeside(ofTeam.get(teamId as TeamId) ?? 0), // a text that is no team's id has nothing counted
    rooms: () => ({
      ofTeams: new Map([...ofTeam].map(([teamId, own]) => [teamId, roomBeside(own)])),
      ofOthers: roomBeside(0),
    }),
    overdue() {
      const found: EventKey[] = [];
      if (![...ofTeam.values()].some(own => own > MAX_OF_TEAM / 2)) return found;
      for (const { event, since } of counted.values()) {
        if (since + USUAL_MS > now()) break;
        found.push(event);
      }
      return found;
    },
  };
}
