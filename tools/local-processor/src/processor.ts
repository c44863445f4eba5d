import type { Logger } from 'pino';
import { deleteOldResponses, releaseInterruptedKeys } from './api/idempotency.ts';
import { type Origin, BACKGROUND, UnitOfWork } from './api/unit-of-work.ts';
import { runDueChanges } from './billing/run-due-changes.ts';
import { Deliveries } from './events/deliveries.ts';
import type { WebhookTargets } from './events/webhook-poster.ts';
import { Faults } from './control/faults.ts';
import { updateHostedUrls } from './objects/hosted-urls.ts';
import type { Account } from './store/account.ts';
import { Accounts } from './store/accounts.ts';
import type { DataFile } from './store/data-file.ts';

const TICK_MS = 5_000;
const MAX_EVENTS = 50_000;
const MAX_DELIVERIES = 100_000;
const MAX_LEDGER_ENTRIES = 200_000;

export interface ProcessorAddresses extends WebhookTargets {
  /** Base URL of the hosted pages. */
  publicUrl?: string | undefined;
}

/** The state of the local processor: accounts, deliveries and faults. A timer applies changes that are due. */
export class Processor {
  readonly accounts: Accounts;
  readonly deliveries: Deliveries;
  readonly faults = new Faults();
  readonly #file: DataFile;
  readonly #logger: Logger;
  readonly #ticker: NodeJS.Timeout;
  #flushing: NodeJS.Immediate | undefined;
  /** Base URL of the hosted pages; set once the port is known. */
  publicUrl: string;

  constructor(file: DataFile, logger: Logger, { publicUrl = '', ...targets }: ProcessorAddresses) {
    this.#file = file;
    this.#logger = logger;
    this.publicUrl = publicUrl;
    this.accounts = new Accounts(file);
    this.deliveries = new Deliveries(logger, () => this.#flushSoon(), targets);
    this.#ticker = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Continues the work of a previous process: releases interrupted requests and resumes undelivered events. */
  resume(): void {
    for (const account of this.accounts.all()) {
      releaseInterruptedKeys(account);
      this.run(account, unit => updateHostedUrls(unit));
      this.deliveries.resume(account);
    }
  }

  /**
   * Runs one unit of work and commits it: changes are on disk before this returns, then the events are sent. It also
   * commits when `work` throws, because a declined payment emits events.
   */
  run<Result>(account: Account, work: (unit: UnitOfWork) => Result, origin: Origin = BACKGROUND): Result {
    const unit = new UnitOfWork(account, origin, this.publicUrl);
    try {
      return work(unit);
    } finally {
      const planned = this.deliveries.plan(account, unit.events);
      this.#file.flush();
      this.deliveries.start(account, planned);
    }
  }

  /** Writes changes made outside of `run` to disk. */
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
      try {
        this.#file.flush();
      } catch (err) {
        // What could not be written stays pending until the next tick.
        this.#logger.error({ err }, 'changes were not written');
      }
    });
  }

  #tick(): void {
    for (const account of this.accounts.all()) {
      try {
        this.run(account, unit => runDueChanges(unit, account.now()));
        deleteOldResponses(account);
        account.tables.event.trim(MAX_EVENTS);
        account.tables.delivery.trim(MAX_DELIVERIES);
        account.tables.ledger.trim(MAX_LEDGER_ENTRIES);
      } catch (err) {
        this.#logger.error({ err, account: account.id }, 'due changes failed');
      }
    }
    this.#flushSoon();
  }
}
