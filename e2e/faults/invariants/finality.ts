import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '../../system/tenant.ts';
import { hasEnded } from '../model/subscriptions.ts';

/** Looks at a project all the time, until it is stopped. */
export interface FinalityWatch extends AsyncDisposable {
  /** Ends the watch; answers what had ended or was converted and then was not, or was converted at another time. */
  stop(): Promise<string[]>;
}

const LOOK_AGAIN_MS = 50;

export function watchFinality({ billing }: Tenant): FinalityWatch {
  const stopping = new AbortController();
  const finals = new Map<string, string>();
  const broughtBack: string[] = [];

  const look = async (): Promise<void> => {
    for await (const { id, status } of billing.subscriptions.list({ limit: 100, activeOnly: false }))
      keep(`subscription ${id}`, hasEnded(status) ? status : null);
    for await (const { code } of billing.referrals.listCodes({ limit: 100, activeOnly: false }))
      for (const { id, convertedAt } of (await billing.referrals.getCode(code)).referrals)
        keep(`referral ${id}`, convertedAt);
  };
  const keep = (what: string, final: string | null): void => {
    const before = finals.get(what);
    if (before !== undefined && before !== final) broughtBack.push(`${what} was ${before} and became ${final}`);
    if (final !== null) finals.set(what, final);
  };
  let looks = 0;
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      // A look may fall into the fault; the next one sees as much.
      await look().then(
        () => (looks += 1),
        () => undefined,
      );
      await delay(LOOK_AGAIN_MS);
    }
  })();

  const dispose = async () => {
    stopping.abort();
    await watching;
  };
  const stop = async () => {
    await dispose();
    if (looks === 0) throw new Error('The watch saw nothing.');
    return broughtBack;
  };
  return { stop, [Symbol.asyncDispose]: dispose };
}
