import type { ReferralCredit } from '@billing/client';

/** What a customer got a credit for. */
export const earnedBy = ({ side }: ReferralCredit): string => (side === 'referrer' ? 'referring' : 'being referred');
