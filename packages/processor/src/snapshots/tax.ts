import type { SubscriptionTax } from '@billing/contracts/resources/subscription';
import type { Fields } from './fields.ts';
import { flag, shortText } from './values.ts';

/** Parses `automatic_tax` of a subscription, which API versions before 2024-11-20 have without a reason. */
export function readTax(subscription: Fields): SubscriptionTax {
  const tax = subscription.optionalObject('automatic_tax', it => ({
    enabled: it.optional('enabled', flag) ?? false,
    reason: it.optional('disabled_reason', shortText),
  }));
  const stoppedReason = tax?.reason === 'requires_location_inputs' && !tax.enabled ? tax.reason : null;
  return { automatic: tax?.enabled ?? false, stoppedReason };
}
