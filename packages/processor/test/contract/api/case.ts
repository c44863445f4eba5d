import type { ApiAccount, Control } from './account.ts';

/** One documented behaviour of Stripe's API. */
export interface ApiCase {
  title: string;
  /** True if it needs the control API, which Stripe does not have. */
  isStandInOnly: boolean;
  run(account: ApiAccount, control: Control | null): Promise<void>;
}

/** A case that runs at the stand-in and at Stripe. */
export const apiCase = (title: string, run: (account: ApiAccount) => Promise<void>): ApiCase => ({
  title,
  isStandInOnly: false,
  run,
});

/** A case that only a stand-in can run. */
export const standInCase = (title: string, run: (account: ApiAccount, control: Control) => Promise<void>): ApiCase => ({
  title,
  isStandInOnly: true,
  run: (account, control) => {
    if (!control) throw new Error('This case needs the control API.');
    return run(account, control);
  },
});
