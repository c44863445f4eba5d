import type { ReferralId, TeamId } from '@billing/contracts/ids';
import { conflict } from '@billing/contracts/problem';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import type { Processor } from '@billing/processor/port';
import { stripeClient } from '@billing/processor/stripe-client';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { waitFor } from '@billing/testing/wait-for';
import { reactToSubscriptions } from '../src/reactions/subscriptions.ts';
import { openProject, startService } from './service.ts';
import { subscribing } from './subscribing.ts';

export interface Credit {
  readonly side: 'referrer' | 'referee';
  readonly status: 'pending' | 'credited' | 'failed';
  readonly attempts: number;
  readonly error: string | null;
  readonly processorTransactionId: string | null;
}

/**
 * Referrals that works off its ledger, each team with an account of its own at a local processor. `quietMs` lies between
 * closing a key and looking what became of it.
 */
export async function startCreditingService({ quietMs }: { quietMs?: number } = {}) {
  const resources = new AsyncDisposableStack();
  const local = resources.adopt(await startLocalProcessor(), it => it.close());
  const accounts = new Map<TeamId, Account>();
  const processors = { of: async (teamId: TeamId) => accountOf(teamId).processor() };
  const service = resources.use(await startService({ processors, quietMs }));
  const { receive } = reactToSubscriptions(service.em, service.clock, service.logger);

  function accountOf(teamId: TeamId): Account {
    const account = accounts.get(teamId) ?? new Account(local.url, teamId);
    accounts.set(teamId, account);
    return account;
  }

  /** A referral between two customers of the processor, not converted yet. */
  async function givenReferral(config: object = {}) {
    const project = openProject(service);
    const account = accountOf(project.teamId);
    await project.configure(config);
    const [referrer, referee] = await Promise.all([
      account.stripe.customers.create({}),
      account.stripe.customers.create({}),
    ]);
    const referring = project.newCustomer({ processorCustomerId: referrer.id });
    const referred = project.newCustomer({ processorCustomerId: referee.id });
    const { code } = (await project.ask('POST', '/codes', { customerId: referring.id })).body.code;
    const { referral } = (await project.apply(code, referred.id)).body;
    const referralId = referral.id as ReferralId; // a response has no types
    const processorIds = { referrer: referrer.id, referee: referee.id };

    const credits = async (): Promise<Credit[]> => {
      const { body } = await project.ask('GET', '/credits');
      return body.credits.toSorted((a: Credit, b: Credit) => b.side.localeCompare(a.side));
    };
    return {
      project,
      account,
      referralId,
      referring,
      referred,
      pathOf: (side: Credit['side']) => `/v1/customers/${processorIds[side]}/balance_transactions`,
      processorIds,
      convert: () => receive(subscribing(project.scope, referred.id), 1),
      /** What the ledger says, the referrer first. */
      credits,
      settled: (timeoutMs = 50_000) =>
        waitFor(
          async () => {
            const all = await credits();
            return all.length > 0 && all.every(({ status }) => status !== 'pending') ? all : undefined;
          },
          { what: 'the credits to be settled', timeoutMs },
        ),
      /** What the processor has on the customer's balance. */
      async balanceOf(side: Credit['side']) {
        const { data } = await account.stripe.customers.listBalanceTransactions(processorIds[side]);
        return data.map(({ id, amount, currency, metadata }) => ({ id, amount, currency, metadata }));
      },
      /** As if whoever had claimed the credits had died long ago; closed keys stay quiet. */
      expireClaims: () =>
        service.em
          .fork()
          .execute(
            'update referral_credits set due_at = clock_timestamp() where referral_id = ? and closed_at is null',
            [referralId],
          ),
      /** As if the service had been away for a day: the processor has forgotten every key. */
      dayPasses: () =>
        account.away(async () => {
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

/** One team's account at the local processor, and how the processes that use it fare. */
class Account {
  readonly control: LocalProcessorControl;
  readonly stripe: ReturnType<typeof stripeClient>;
  isConnected = true;
  /** So many calls more are made by a process that dies before it hears of the outcome. */
  deaths = 0;
  /** What happens when a process dies. */
  onDeath: () => Promise<unknown> = async () => undefined;
  readonly #through: Processor;
  #absences = 0;
  #inFlight = 0;

  constructor(url: string, teamId: TeamId) {
    const secretKey = `sk_test_${teamId.replace('team_', '')}`;
    this.control = new LocalProcessorControl(url, secretKey);
    this.stripe = stripeClient(secretKey, url);
    this.#through = stripeProcessor(secretKey, url);
  }

  processor(): Processor {
    this.#requireConnection();
    const since = this.#absences;
    return {
      ...this.#through,
      createBalanceTransaction: async (...credit) => {
        if (since !== this.#absences) throw new Error('The process was stopped before it could send.');
        this.#requireConnection();
        this.#inFlight += 1;
        const made = await this.#through.createBalanceTransaction(...credit).finally(() => (this.#inFlight -= 1));
        if (this.deaths > 0) {
          this.deaths -= 1;
          await this.onDeath();
          throw new Error('The process died between sending and noting.');
        }
        return made;
      },
    };
  }

  /** Lets something happen while no process of ours is there; those that were are gone afterwards. */
  async away(happen: () => Promise<void>): Promise<void> {
    this.isConnected = false;
    this.#absences += 1;
    await waitFor(() => this.#inFlight === 0, { what: 'the calls under way to end', timeoutMs: 25_000 });
    await happen();
    this.isConnected = true;
  }

  #requireConnection(): void {
    if (!this.isConnected)
      throw conflict('processor_not_connected', 'Connect the payment processor to this team first.');
  }
}
