import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '../../system/tenant.ts';
import { hasEnded } from '../model/subscriptions.ts';

/** Polls a project until it is stopped, and notices when something final changes back. */
export interface FinalityWatch extends AsyncDisposable {
  /**
   * Stops polling. Returns subscriptions that ended and came back, and referrals whose conversion was undone or moved.
   * @throws Error when no poll ever succeeded
   */
  stop(): Promise<string[]>;
}

const POLL_INTERVAL_MS = 50;

/** Watches the subscriptions and referrals of a tenant's project. */
export function watchFinality({ billing }: Tenant): FinalityWatch {
  const stopping = new AbortController();
  const finals = new Map<string, string>();
  const reverted: string[] = [];

  const poll = async (): Promise<void> => {
    for await (const { id, status } of billing.subscriptions.list({ limit: 100, activeOnly: false }))
      check(`subscription ${id}`, hasEnded(status) ? status : null);
    for await (const { code } of billing.referrals.listCodes({ limit: 100, activeOnly: false }))
      for (const { id, convertedAt } of (await billing.referrals.getCode(code)).referrals)
        check(`referral ${id}`, convertedAt);
  };
  const check = (name: string, final: string | null): void => {
    const before = finals.get(name);
    if (before !== undefined && before !== final) reverted.push(`${name} was ${before} and became ${final}`);
    if (final !== null) finals.set(name, final);
  };
  let polls = 0;
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      // A poll may fail during a fault; the next one reads the same records.
      await poll().then(
        () => (polls += 1),
        () => undefined,
      );
      await delay(POLL_INTERVAL_MS);
    }
  })();

  const dispose = async () => {
    stopping.abort();
    await watching;
  };
  const stop = async () => {
    await dispose();
    if (polls === 0) throw new Error('No poll of the finality watch succeeded.');
    return reverted;
  };
  return { stop, [Symbol.asyncDispose]: dispose };
}
