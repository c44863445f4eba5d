import type { Outbox } from '@billing/messaging/outbox';
import { findTeamsWithMarks } from '../src/state/mark-turns.ts';
import { publishStates } from '../src/state/publish-states.ts';
import { markEnded } from '../src/state/state-marks.ts';
import type { Service } from './service.ts';

interface Turns {
  readonly now: () => Date;
  /** Of each team; until nothing is left to do by default. */
  readonly turns?: number;
  /** Customers and rows of a page; 3 by default. */
  readonly size?: number;
  readonly outbox?: Outbox;
}

/** Publishes marked states as the job does. */
export async function takeTurns(service: Service, { now, turns = Infinity, size = 3, outbox }: Turns): Promise<void> {
  const { em, logger } = service;
  const publish = publishStates({ outbox: outbox ?? service.outbox, logger, now }, { customers: size, page: size });
  await markEnded(em.fork(), now());
  for (let turn = 0; turn < turns; turn += 1) {
    const teams = await findTeamsWithMarks(em.fork(), { except: [], after: '', limit: 100, spreads: true });
    if (teams.length === 0) return;
    for (const team of teams) await publish(team);
  }
}

/** As PostgreSQL says of a connection that has ended. */
const KILLED = Object.assign(new Error('killed'), { code: '57P01' });

/** Takes turns in a process that dies before its transaction of so many commits. */
export async function dieIn(service: Service, { now, size = 3 }: Turns, transactions = 1): Promise<void> {
  const { outbox } = service;
  let left = transactions;
  const dying: Outbox = {
    em: outbox.em,
    transaction: (work, limits) =>
      outbox.transaction(async (...parts) => {
        const worked = await work(...parts);
        left -= 1;
        if (left === 0) throw KILLED;
        return worked;
      }, limits),
  };
  await takeTurns(service, { now, size, outbox: dying }).catch((err: unknown) => {
    if (err !== KILLED) throw err;
  });
}
