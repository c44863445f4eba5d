import { rpcHandler } from '@billing/service/definition';
import { startTestAccount } from '@billing/service/testing/test-account';
import type { ReferralId, TeamId } from '@billing/contracts/ids';
import type { referralCredit } from '@billing/contracts/resources/referral';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { controlOperationLog } from '@billing/processor/operation-log/testing';
import { waitFor } from '@billing/testing/wait-for';
import type { z } from 'zod';
import { Account } from './account.ts';
import { openProject } from './project.ts';
import { startService, type ServiceOptions } from './service.ts';
import { subscriptionCreated } from './subscription-created.ts';

export type Credit = z.input<typeof referralCredit>;
type Side = Credit['side'];

/** Starts referrals with an account at a local processor for each team. It sends credits once `service.run` is called. */
export async function startCrediting({ creditTiming }: Pick<ServiceOptions, 'creditTiming'> = {}) {
  const local = await startTestAccount();
  const accounts = new Map<TeamId, Account>();
  const accountOf = (teamId: TeamId): Account => {
    const account = accounts.get(teamId) ?? new Account(local.url, teamId);
    accounts.set(teamId, account);
    return account;
  };
  const credentials = rpcHandler(FindProcessorCredentials, async ({ teamId, service: asking }) => {
    if (local.disconnected.has(teamId)) return null;
    const sealedSecretKey = local.sealFor(asking, teamId, accountOf(teamId).secretKey);
    return { version: 1, livemode: false, sealedSecretKey };
  });
  const service = await startService({
    account: { ...local, credentials },
    wrap: processors => ({ of: async teamId => accountOf(teamId).wrap(await processors.of(teamId)) }),
    ...(creditTiming && { creditTiming }),
  });

  /** Creates a pending referral between two customers of the processor. */
  async function givenReferral(config: object = {}) {
    const project = openProject(service);
    const account = accountOf(project.teamId);
    await project.configure(config);
    const [{ id: referrer }, { id: referee }] = await Promise.all([
      account.stripe.customers.create({}),
      account.stripe.customers.create({}),
    ]);
    const referrerCustomer = project.newCustomer({ processorCustomerId: referrer });
    const refereeCustomer = project.newCustomer({ processorCustomerId: referee });
    const { code } = (await project.request('POST', '/codes', { customerId: referrerCustomer.id })).body.code;
    const { referral } = (await project.apply(code, refereeCustomer.id)).body;
    const referralId = referral.id as ReferralId; // responses are untyped JSON
    const processorIds = { referrer, referee };

    const credits = async (): Promise<Credit[]> => {
      const { body } = await project.request('GET', '/credits');
      return body.credits.toSorted((a: Credit, b: Credit) => b.side.localeCompare(a.side));
    };
    const operations = controlOperationLog(service.em, `${referralId}:`);
    return {
      project,
      account,
      referralId,
      referrerCustomer,
      refereeCustomer,
      processorIds,
      pathOf: (side: Side) => `/v1/customers/${processorIds[side]}/balance_transactions`,
      convert: () => service.deliver(subscriptionCreated(project.scope, refereeCustomer.id)),
      /** Returns the credits of the ledger, the referrer's first. */
      credits,
      /** Waits until no credit is pending, and returns them. */
      finished: () =>
        waitFor(
          async () => {
            const all = await credits();
            return all.length > 0 && all.every(({ status }) => status !== 'pending') ? all : undefined;
          },
          { what: 'the credits to leave `pending`' },
        ),
      /** Returns the customer's balance transactions at the processor. */
      async balanceOf(side: Side) {
        const { data } = await account.stripe.customers.listBalanceTransactions(processorIds[side]);
        return data.map(({ id, amount, currency, metadata }) => ({ id, amount, currency, metadata }));
      },
      /** Controls the operations that send the credits. */
      operations,
      /** Makes the next calls to the processor crash their process; whatever it does afterwards has no effect. */
      crashAfterCalls: (crashes: number) =>
        Object.assign(account, {
          crashes,
          onCrash: () =>
            operations.changeOperations('due_at = clock_timestamp(), lease_id = null', 'key_closed_at is null'),
        }),
      /** Moves the clock by more than a day without the service: the processor forgets every key. */
      passDay: () =>
        account.stoppedDuring(async () => {
          await account.control.advanceClock(25 * 3_600);
          await operations.letPass('25 hours');
        }),
    };
  }

  return {
    service,
    givenReferral,
    disconnected: local.disconnected,
    [Symbol.asyncDispose]: service[Symbol.asyncDispose],
  };
}

export type Crediting = Awaited<ReturnType<typeof startCrediting>>;
export type GivenReferral = Awaited<ReturnType<Crediting['givenReferral']>>;
