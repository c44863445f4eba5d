import type { EntityManager } from '@mikro-orm/postgresql';
import { ListReferralCodeStates, ListReferralStates } from '@billing/contracts/rpc/list-states';
import { serveRpc } from '@billing/messaging/rpc';
import { findPart } from '@billing/service/find-part';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { Referral, stateOf } from '#persistence/referral.entity.ts';

interface AnswerOptions {
  readonly em: EntityManager;
  readonly nats: NatsConnection;
  readonly root: string;
  readonly logger: Logger;
}

/** Answers what codes and referrals there are, until stopped. */
export function answerAboutRecords({ em, ...bus }: AnswerOptions): () => Promise<void> {
  const stops = [
    serveRpc(bus, ListReferralCodeStates, listReferralCodeStates(em)),
    serveRpc(bus, ListReferralStates, listReferralStates(em)),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

/** A part of a project's codes, the deactivated ones too. */
function listReferralCodeStates(em: EntityManager) {
  return async ({ after, limit, ...scope }: z.output<typeof ListReferralCodeStates.request>) => {
    const codes = await findPart(em.fork(), ReferralCode, scope, { after, limit }, 'code');
    const records = codes.map(state => ({ recordedAt: state.deactivatedAt ?? state.createdAt, state }));
    return { records, next: codes.length < limit ? null : (codes.at(-1)?.code ?? null) };
  };
}

/** A part of a project's referrals. */
function listReferralStates(em: EntityManager) {
  return async ({ after, limit, ...scope }: z.output<typeof ListReferralStates.request>) => {
    const referrals = await findPart(em.fork(), Referral, scope, { after, limit });
    const records = referrals.map(it => ({ recordedAt: it.convertedAt ?? it.createdAt, state: stateOf(it) }));
    return { records, next: referrals.length < limit ? null : (referrals.at(-1)?.id ?? null) };
  };
}
