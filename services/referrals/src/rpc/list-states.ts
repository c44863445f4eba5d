import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListReferralCodeStates, ListReferralStates } from '@billing/contracts/rpc/list-states';
import { findPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { Referral, toState } from '#persistence/referral.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

/** Returns a page of a project's codes, including deactivated ones. */
export function listReferralCodeStates({ em }: Dependencies) {
  return async ({ after, limit, ...scope }: z.output<typeof ListReferralCodeStates.request>) => {
    const codes = await findPage(em.fork(), ReferralCode, scope, { after, limit }, 'code');
    const records = codes.map(state => ({ recordedAt: state.deactivatedAt ?? state.createdAt, state }));
    return { records, next: codes.length < limit ? null : (codes.at(-1)?.code ?? null) };
  };
}

/** Returns a page of a project's referrals. */
export function listReferralStates({ em }: Dependencies) {
  return async ({ after, limit, ...scope }: z.output<typeof ListReferralStates.request>) => {
    const referrals = await findPage(em.fork(), Referral, scope, { after, limit });
    const records = referrals.map(it => ({ recordedAt: it.convertedAt ?? it.createdAt, state: toState(it) }));
    return { records, next: referrals.length < limit ? null : (referrals.at(-1)?.id ?? null) };
  };
}
