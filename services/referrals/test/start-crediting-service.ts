import type { ReferralId, TeamId } from '@billing/contracts/ids';
import { conflict } from '@billing/contracts/problem';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import type { Processor } from '@billing/processor/port';
import { stripeClient } from '@billing/processor/stripe-client';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { waitFor } from '@billing/testing/wait-for';
import { subscriptionEvents } from '../src/consumers/subscription-events.ts';
import { openProject, startService } from './start-service.ts';
import { subscriptionCreated } from './subscription-created.ts';

export interface Credit {
  readonly side: 'referrer' | 'referee';
  readonly status: 'pending' | 'credited' | 'failed';
  readonly attempts: number;
  readonly error: string | null;
  readonly processorTransactionId: string | null;
}

/** Starts referrals with the credit job; each team has its own account at a local processor. */
export async function startCreditingService({ verifyAfterMs }: { verifyAfterMs?: number } = {}) {
  const resources = new AsyncDisposableStack();
  const local = resources.adopt(await startLocalProcessor(), it => it.close());
  const accounts = new Map<TeamId, Account>();
  const processors = { of: async (teamId: TeamId) => accountOf(teamId).processor() };
  const service = resources.use(await startService({ processors, verifyAfterMs }));
  const { receive } = subscriptionEvents(service);

  function accountOf(teamId: TeamId): Account {
    const account = accounts.get(teamId) ?? new Account(local.url, teamId);
    accounts.set(teamId, account);
    return account;
  }

  /** Creates a pending referral between two customers of the processor. */
  async function givenReferral(config: object = {}) {
    const project = openProject(service);
    const account = accountOf(project.teamId);
    await project.configure(config);
    const [referrer, referee] = await Promise.all([
      account.stripe.customers.create({}),
      account.stripe.customers.create({}),
    ]);
    const referrerCustomer = project.newCustomer({ processorCustomerId: referrer.id });
    const refereeCustomer = project.newCustomer({ processorCustomerId: referee.id });
    const { code } = (await project.request('POST', '/codes', { customerId: referrerCustomer.id })).body.code;
    const { referral } = (await project.apply(code, refereeCustomer.id)).body;
    const referralId = referral.id as ReferralId; // responses are untyped JSON
    const processorIds = { referrer: referrer.id, referee: referee.id };

    const credits = async (): Promise<Credit[]> => {
      const { body } = await project.request('GET', '/credits');
      return body.credits.toSorted((a: Credit, b: Credit) => b.side.localeCompare(a.side));
    };
    return {
      project,
      account,
      referralId,
      referrerCustomer,
      refereeCustomer,
      pathOf: (side: Credit['side']) => `/v1/customers/${processorIds[side]}/balance_transactions`,
      processorIds,
      convert: () => receive(subscriptionCreated(project.scope, refereeCustomer.id), 1),
      /** Returns the credits of the ledger, the referrer's first. */
      credits,
      /** Waits until no credit is pending, and returns them. */
      finished: (timeoutMs = 50_000) =>
        waitFor(
          async () => {
            const all = await credits();
            return all.length > 0 && all.every(({ status }) => status !== 'pending') ? all : undefined;
          },
          { what: 'the credits to leave `pending`', timeoutMs },
        ),
      /** Returns the customer's balance transactions at the processor. */
      async balanceOf(side: Credit['side']) {
        const { data } = await account.stripe.customers.listBalanceTransactions(processorIds[side]);
        return data.map(({ id, amount, currency, metadata }) => ({ id, amount, currency, metadata }));
      },
      /** Expires the leases of credits whose key is open, as after a crash. */
      expireLeases: () =>
        service.em
          .fork()
          .execute(
            'update referral_credits set due_at = clock_timestamp() where referral_id = ? and closed_at is null',
            [referralId],
          ),
      /** Moves the clock by more than a day without the service: the processor forgets every key. */
      passDay: () =>
        account.disconnectedDuring(async () => {
          await account.control.advanceClock(25 * 3_600);
          await service.em.fork().execute(
            `update referral_credits
                set due_at = clock_timestamp(), sent_at = sent_at - interval '25 hours' where referral_id = ?`,
            [referralId],
          );
        }),
    };
  }

  return { service, processors, givenReferral, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** One team's account at the local processor, with simulated crashes of the processes that use it. */
class Account {
  readonly control: LocalProcessorControl;
  readonly stripe: ReturnType<typeof stripeClient>;
  isConnected = true;
  /** The number of further calls after which the process crashes before it gets the response. */
  crashes = 0;
  /** Runs at each crash. */
  onCrash: () => Promise<unknown> = async () => undefined;
  readonly #processor: Processor;
  #outages = 0;
  #inFlight = 0;

  constructor(url: string, teamId: TeamId) {
    const secretKey = `sk_test_${teamId.replace('team_', '')}`;
    this.control = new LocalProcessorControl(url, secretKey);
    this.stripe = stripeClient(secretKey, url);
    this.#processor = stripeProcessor(secretKey, url);
  }

  processor(): Processor {
    this.#requireConnection();
    const since = this.#outages;
    return {
      ...this.#processor,
      createBalanceTransaction: async (...credit) => {
        if (since !== this.#outages) throw new Error('The process stopped before it sent the credit.');
        this.#requireConnection();
        this.#inFlight += 1;
        const created = await this.#processor.createBalanceTransaction(...credit).finally(() => (this.#inFlight -= 1));
        if (this.crashes > 0) {
          this.crashes -= 1;
          await this.onCrash();
          throw new Error('The process crashed before it saved the response.');
        }
        return created;
      },
    };
  }

  /** Runs `action` while no process of ours is connected; earlier connections stay broken afterwards. */
  async disconnectedDuring(action: () => Promise<void>): Promise<void> {
    this.isConnected = false;
    this.#outages += 1;
    await waitFor(() => this.#inFlight === 0, { what: 'the calls in flight to end', timeoutMs: 25_000 });
    await action();
    this.isConnected = true;
  }

  #requireConnection(): void {
    if (!this.isConnected)
      throw conflict('processor_not_connected', 'Connect the payment processor to this team first.');
  }
}
