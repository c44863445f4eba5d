import type { Logger } from 'pino';
import { forgetOldAnswers, freeInterruptedKeys } from './api/idempotency.ts';
import { type Origin, UNASKED, Unit } from './api/unit.ts';
import { bringUpToDate } from './billing/clock.ts';
import { Deliveries } from './events/deliveries.ts';
import { Faults } from './faults/faults.ts';
import { moveAddresses } from './objects/addresses.ts';
import type { Account } from './store/account.ts';
import { Accounts } from './store/accounts.ts';
import type { DataFile } from './store/data-file.ts';

const TICK_MS = 5_000;
const MOST_EVENTS = 50_000;
const MOST_DELIVERIES = 100_000;
const MOST_LEDGER_ENTRIES = 200_000;

/** The whole stand-in behind its HTTP surface: accounts, deliveries, faults, and the clock that moves them. */
export class Processor {
  readonly accounts: Accounts;
  readonly deliveries: Deliveries;
  readonly faults = new Faults();
  readonly #file: DataFile;
  readonly #ticker: NodeJS.Timeout;
  #flushing: NodeJS.Immediate | undefined;
  /** Where browsers reach the hosted pages; set once the port is known. */
  publicUrl: string;

  constructor(file: DataFile, logger: Logger, publicUrl: string) {
    this.#file = file;
    this.publicUrl = publicUrl;
    this.accounts = new Accounts(file);
    this.deliveries = new Deliveries(logger, () => this.#flushSoon());
    this.#ticker = setInterval(() => this.#tick(logger), TICK_MS).unref();
  }

  /** Takes up what an earlier process left: interrupted requests and undelivered events. */
  resume(): void {
    for (const account of this.accounts.all()) {
      freeInterruptedKeys(account);
      this.run(account, unit => moveAddresses(unit));
      this.deliveries.resume(account);
    }
  }

  /**
   * Does one unit of work and commits it: what changed is on disk before this returns, then its events are sent. Also
   * when `work` throws, since a declined payment leaves events behind.
   */
  run<Result>(account: Account, work: (unit: Unit) => Result, origin: Origin = UNASKED): Result {
    const unit = new Unit(account, origin, this.publicUrl);
    try {
      return work(unit);
    } finally {
      const planned = this.deliveries.plan(account, unit.events);
      this.#file.flush();
      this.deliveries.start(account, planned);
    }
  }

  /** Writes out what was changed outside of `run`. */
  flush(): void {
    this.#file.flush();
  }

  close(): void {
    clearInterval(this.#ticker);
    if (this.#flushing) clearImmediate(this.#flushing);
    this.deliveries.close();
    this.#file.close();
  }

  #flushSoon(): void {
    this.#flushing ??= setImmediate(() => {
      this.#flushing = undefined;
      this.#file.flush();
    });
  }

  #tick(logger: Logger): void {
    for (const account of this.accounts.all()) {
      try {
        this.run(account, unit => bringUpToDate(unit, account.now()));
        forgetOldAnswers(account);
        account.tables.event.trim(MOST_EVENTS);
        account.tables.delivery.trim(MOST_DELIVERIES);
        account.tables.ledger.trim(MOST_LEDGER_ENTRIES);
      } catch (err) {
        logger.error({ err, account: account.id }, 'the passing of time failed');
      }
    }
    this.#flushSoon();
  }
}
