import { defineService, rpcHandler } from '@billing/service/definition';
import { CountMirrored } from '@billing/contracts/rpc/accounts';
import { ListReferralCodeStates, ListReferralStates } from '@billing/contracts/rpc/list-states';
import { countMirrored } from '@billing/processor/operation-log/account-fence';
import { openOperationLog } from '@billing/processor/operation-log/operation-log';
import { deleteCanceledOperations } from '@billing/processor/operation-log/operation-rows';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { customerEvents } from './consumers/customer-events.ts';
import { subscriptionEvents } from './consumers/subscription-events.ts';
import { referralsEnv } from './env.ts';
import { creditBalanceKind } from './operations/credit-balance.ts';
import { referralsSchema } from './persistence/schema.ts';
import { codeRoutes } from './routes/codes.ts';
import { creditRoutes } from './routes/credits.ts';
import { programRoutes } from './routes/program.ts';
import { referralRoutes } from './routes/referrals.ts';
import { listReferralCodeStates, listReferralStates } from './rpc/list-states.ts';

interface ReferralsOptions {
  /** Returns a random code. */
  readonly newCode?: () => string;
  /** When credits are sent; as the operation log has it unless given. */
  readonly creditTiming?: {
    /** Seconds between closing a key and searching for the credit. */
    readonly quietSeconds?: number;
    /** The longest pause between two attempts, in seconds. */
    readonly maxDelaySeconds?: number;
    /** How often the log is searched for due credits, in milliseconds. */
    readonly intervalMs?: number;
  };
}

/** The parts of referrals; the chassis runs them. */
export const referralsService = ({ newCode, creditTiming = {} }: ReferralsOptions = {}) =>
  defineService({
    name: 'referrals',
    env: referralsEnv,
    database: referralsSchema,
    parts: ({ em, outbox, rpc, processors, logger, now }) => {
      const { quietSeconds, maxDelaySeconds, intervalMs } = creditTiming;
      const creditKind = creditBalanceKind({ em, rpc, now, maxDelaySeconds });
      const operationLog = openOperationLog({ outbox, processors, logger, kinds: [creditKind], quietSeconds });
      return {
        consumers: [customerEvents({ now }), subscriptionEvents({ operationLog, creditKind, now })],
        rpc: [
          rpcHandler(ListReferralCodeStates, listReferralCodeStates({ em })),
          rpcHandler(CountMirrored.referrals, countMirrored(em)),
          rpcHandler(ListReferralStates, listReferralStates({ em })),
        ],
        jobs: [() => startReconciler({ operationLog, logger, ...(intervalMs !== undefined && { intervalMs }) })],
        cleaning: [() => deleteCanceledOperations(em)],
        purge: {
          tables: ['remote_operations', 'referral_credits', 'referrals', 'referral_codes', 'customer_copies'],
          kept: ['programs', 'account_fences'],
        },
        routes: [
          programRoutes({ em, outbox, now }),
          codeRoutes({ em, outbox, rpc, now, newCode }),
          referralRoutes({ em, outbox, rpc, now }),
          creditRoutes({ outbox, operationLog, creditKind }),
        ],
      };
    },
  });
