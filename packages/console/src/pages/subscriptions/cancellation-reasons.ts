import type { CancellationReason } from '@billing/client';

/** Why customers cancel, in words. */
export const CANCELLATION_REASONS: Readonly<Record<CancellationReason, string>> = {
  too_expensive: 'Too expensive',
  missing_features: 'Missing features',
  switched_service: 'Switched service',
  unused: 'Unused',
  customer_service: 'Customer service',
  too_complex: 'Too complex',
  low_quality: 'Low quality',
  other: 'Another reason',
};

/** The same, and what stands for those who gave none. */
export const LISTED_REASONS = { ...CANCELLATION_REASONS, none: 'No reason' } as const;
