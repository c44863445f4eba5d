/** A program as it was last configured. */
export interface ProgramModel {
  readonly enabled: boolean;
  readonly referrerCreditAmount: number;
  readonly refereeCreditAmount: number;
  readonly currency: string;
}

interface CodeModel {
  readonly owner: number;
  isActive: boolean;
}

interface ReferralOfModel {
  readonly referrer: number;
  readonly referee: number;
  readonly createdAt: Date;
  /** Null while pending. */
  convertedAt: Date | null;
}

/** The rules of referrals in one project without time, storage or concurrency; customers are numbers. */
export class ReferralModel {
  #program: ProgramModel = { enabled: false, referrerCreditAmount: 0, refereeCreditAmount: 0, currency: 'usd' };
  readonly #deleted = new Set<number>();
  readonly #subscribed = new Set<number>();
  readonly #codes: CodeModel[] = [];
  readonly #referrals: ReferralOfModel[] = [];
  readonly #credits: string[] = [];

  configure(program: ProgramModel): string {
    this.#program = program;
    return '200';
  }

  createCode(owner: number): string {
    if (this.#deleted.has(owner)) return '404 customer_not_found';
    if (this.#newestCode(owner)?.isActive) return '409 referral_code_exists';
    this.#codes.push({ owner, isActive: true });
    return '201';
  }

  deactivate(owner: number): string {
    const code = this.#newestCode(owner);
    if (!code) return '404 referral_code_not_found';
    code.isActive = false;
    return '200';
  }

  apply(referrer: number, referee: number, now: Date): string {
    const code = this.#newestCode(referrer);
    if (!code) return '404 referral_code_not_found';
    if (!code.isActive) return '422 referral_code_inactive';
    if (!this.#program.enabled) return '422 referral_program_disabled';
    if (referrer === referee) return '409 referral_self';
    if (this.#deleted.has(referee)) return '404 customer_not_found';
    if (this.#referrals.some(referral => referral.referee === referee)) return '409 referral_already_applied';
    if (this.#subscribed.has(referee)) return '409 referral_already_subscribed';
    this.#referrals.push({ referrer, referee, createdAt: now, convertedAt: null });
    return '201';
  }

  subscribe(customer: number, { startedAt, now }: { startedAt: Date; now: Date }): string {
    this.#subscribed.add(customer);
    const referral = this.#referrals.find(one => one.referee === customer && one.convertedAt === null);
    if (!referral || secondsOf(startedAt) < secondsOf(referral.createdAt)) return 'done';
    referral.convertedAt = now;
    const { referrerCreditAmount, refereeCreditAmount, currency } = this.#program;
    if (referrerCreditAmount > 0)
      this.#credits.push(`referrer ${referral.referrer} ${referrerCreditAmount} ${currency}`);
    if (refereeCreditAmount > 0) this.#credits.push(`referee ${referral.referee} ${refereeCreditAmount} ${currency}`);
    return 'done';
  }

  delete(customer: number): string {
    this.#deleted.add(customer);
    const code = this.#newestCode(customer);
    if (code) code.isActive = false;
    return 'done';
  }

  /** Returns everything that the API shows, sorted. */
  snapshot() {
    return {
      codes: this.#codes.map(({ owner, isActive }) => `${owner} ${isActive}`).toSorted(),
      referrals: this.#referrals
        .map(({ referrer, referee, convertedAt }) =>
          [referrer, referee, convertedAt ? 'converted' : 'pending', convertedAt?.toISOString() ?? 'never'].join(' '),
        )
        .toSorted(),
      credits: this.#credits.toSorted(),
    };
  }

  /** Returns the customer's newest code; only that one can be active. */
  #newestCode(owner: number): CodeModel | undefined {
    return this.#codes.findLast(code => code.owner === owner);
  }
}

const secondsOf = (time: Date) => Math.floor(time.getTime() / 1_000);
