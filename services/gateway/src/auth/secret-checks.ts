import type { Request } from 'express';
import type { GatewayResponse } from '#http/request-context.ts';
import type { SignInAdmission } from '#limits/sign-in-admission.ts';
import { outcomeOf, USED_CODE, type AuthResult } from './call-better-auth.ts';
import type { SessionCookies } from './session-cookies.ts';
import type { CheckOutcome, Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

interface Dependencies {
  readonly signIn: Pick<SignIn, 'findUserOfSecondStep' | 'users'>;
  readonly sessions: Sessions;
  readonly cookies: SessionCookies;
  readonly admission: SignInAdmission;
}

/** An account, and the session in which its password or a code is tried. */
export interface Claim {
  readonly email: string;
  /** Undefined where only a password has to show it. */
  readonly userId?: string;
  /** Undefined for a sign-in. */
  readonly token?: string;
}

/** What became of a try. */
export interface Checked {
  readonly result: AuthResult;
  readonly outcome: CheckOutcome;
  /** Whether it was one wrong try too many. */
  readonly endedSession: boolean;
}

/** Every check of a password or a code, of whichever path, is a try to sign in: it counts for the account and its session. */
export interface SecretChecks {
  /** Returns whose password or code a request shows: that of its session, or of a sign-in whose second factor is due. */
  claimOf(request: Request): Promise<(Claim & Required<Pick<Claim, 'userId'>>) | undefined>;
  /**
   * Tries within the limits.
   * @throws Problem 429, 401 when the session has ended meanwhile
   */
  run(response: GatewayResponse, claim: Claim, call: () => Promise<AuthResult>): Promise<Checked>;
  /** Like `run`; a code works once, whatever it opens. */
  runCode(response: GatewayResponse, claim: Claim, code: string, call: () => Promise<AuthResult>): Promise<Checked>;
}

export function secretChecks({ signIn, sessions, cookies, admission }: Dependencies): SecretChecks {
  const run: SecretChecks['run'] = async (response, claim, call) => {
    await using settling = new AsyncDisposableStack();
    let outcome: CheckOutcome = 'none';
    let endedSession = false;
    if (claim.token !== undefined) {
      const settle = await sessions.takeCheck(claim.token);
      settling.defer(async () => void (endedSession = await settle(outcome)));
    }
    const settle = await admission.takeAccount(claim.email, response);
    settling.defer(() => settle(outcome));
    const result = await call();
    outcome = outcomeOf(result);
    await settling.disposeAsync();
    return { result, outcome, endedSession };
  };

  return {
    async claimOf({ headers }) {
      const token = cookies.tokenOf(headers.cookie);
      const session = token === undefined ? undefined : await sessions.find(token);
      const secondStep = session ? undefined : cookies.secondStepOf(headers.cookie);
      const userId = session?.userId ?? (secondStep && (await signIn.findUserOfSecondStep(secondStep)));
      const [user] = userId === undefined ? [] : await signIn.users.findAll([userId]);
      if (!user) return undefined;
      return { userId: user.id, email: user.email, ...(session && token !== undefined && { token }) };
    },
    run,
    runCode: (response, claim, code, call) =>
      run(response, claim, async () => ((await admission.isFirstUse(claim.email, code)) ? call() : USED_CODE)),
  };
}
