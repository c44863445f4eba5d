import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListReferralCodeStates, ListReferralStates } from '@billing/contracts/rpc/list-states';
import { listPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { Referral, toState } from '#persistence/referral.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

/** Returns a page of a project's codes, including deactivated ones. */
export const listReferralCodeStates =
  ({ em }: Dependencies) =>
  (page: z.output<typeof ListReferralCodeStates.request>) =>
    listPage(
      em.fork(),
      ReferralCode,
      page,
      state => ({ recordedAt: state.deactivatedAt ?? state.createdAt, state }),
      'code',
    );

/** Returns a page of a project's referrals. */
export const listReferralStates =
  ({ em }: Dependencies) =>
  (page: z.output<typeof ListReferralStates.request>) =>
    listPage(em.fork(), Referral, page, it => ({ recordedAt: it.convertedAt ?? it.createdAt, state: toState(it) }));
