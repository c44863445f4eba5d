import { z } from 'zod';
import { optional } from '../optional.ts';
import { optionalText } from '../text.ts';

/** Why customers cancel, in the processor's words. https://docs.stripe.com/api/subscriptions/object */
export const CANCELLATION_REASONS = [
  'too_expensive',
  'missing_features',
  'switched_service',
  'unused',
  'customer_service',
  'too_complex',
  'low_quality',
  'other',
] as const;
export type CancellationReason = (typeof CANCELLATION_REASONS)[number];
export const cancellationReason = z
  .enum(CANCELLATION_REASONS)
  .meta({ description: 'Why the customer cancels.', example: 'too_expensive' });

/** In characters. */
export const MAX_COMMENT = 500;
const COMMENT = { description: 'What the customer says about it.', example: 'I will be back in spring.' };

/** What a customer may say who cancels. */
export const cancellationFields = {
  reason: optional(cancellationReason),
  comment: optional(optionalText(MAX_COMMENT).meta(COMMENT)),
};

/** What a customer said who canceled. */
export const cancellation = z
  .object({
    reason: cancellationReason.nullable().describe('Null when none was given.'),
    comment: z.string().nullable().meta(COMMENT),
  })
  .meta({ id: 'Cancellation', description: 'Why a subscription was canceled.' });
export type Cancellation = z.output<typeof cancellation>;

/** Returns what was said about a cancellation; null when nothing was. */
export function cancellationOf(said: {
  readonly reason?: CancellationReason | null | undefined;
  readonly comment?: string | null | undefined;
}): Cancellation | null {
  const [reason, comment] = [said.reason ?? null, said.comment?.trim() || null];
  return reason === null && comment === null ? null : { reason, comment };
}

/** What becomes of the discount that a customer is offered who is about to cancel. */
export const SAVE_OFFER_OUTCOMES = ['accepted', 'declined'] as const;
export type SaveOfferOutcome = (typeof SAVE_OFFER_OUTCOMES)[number];

/** The same as a body of its own. */
export const cancellationSaid = z.strictObject(cancellationFields);
