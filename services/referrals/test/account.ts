import type { TeamId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { LocalProcessorControl } from '@billing/local-processor/control';
import type { Processor } from '@billing/processor/port';
import { stripeClient } from '@billing/processor/stripe-client';
import { waitFor } from '@billing/testing/wait-for';

/** One team's account at the local processor, with simulated crashes of the processes that use it. */
export class Account {
  readonly secretKey: string;
  readonly control: LocalProcessorControl;
  readonly stripe: ReturnType<typeof stripeClient>;
  /** The number of further calls after which the process crashes before it gets the response. */
  crashes = 0;
  /** Runs at each crash. */
  onCrash: () => Promise<unknown> = async () => undefined;
  #isStopped = false;
  #stops = 0;
  #inFlight = 0;

  constructor(url: string, teamId: TeamId) {
    this.secretKey = `sk_test_${teamId.replace('team_', '')}`;
    this.control = new LocalProcessorControl(url, this.secretKey);
    this.stripe = stripeClient(this.secretKey, url);
  }

  /** Returns the processor as one of our processes uses it: it may crash, or be stopped. */
  wrap(processor: Processor): Processor {
    this.#requireRunning();
    const since = this.#stops;
    return {
      ...processor,
      createBalanceTransaction: async (...credit) => {
        if (since !== this.#stops) throw new Error('The process stopped before it sent the credit.');
        this.#requireRunning();
        this.#inFlight += 1;
        const created = await processor.createBalanceTransaction(...credit).finally(() => (this.#inFlight -= 1));
        if (this.crashes > 0) {
          this.crashes -= 1;
          await this.onCrash();
          throw new Error('The process crashed before it saved the response.');
        }
        return created;
      },
    };
  }

  /** Runs `action` while no process of ours runs; those that ran before send nothing afterwards. */
  async stoppedDuring(action: () => Promise<void>): Promise<void> {
    this.#isStopped = true;
    this.#stops += 1;
    await waitFor(() => this.#inFlight === 0, { what: 'the calls in flight to end' });
    await action();
    this.#isStopped = false;
  }

  #requireRunning(): void {
    if (this.#isStopped) throw unavailable('The service is stopped.');
  }
}
