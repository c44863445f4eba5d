import { z } from 'zod';
import { choice, empty, unsettableText } from '../api/parameters.ts';

/** `cancellation_details`: why a subscription is canceled; an empty value clears a field. */
export const cancellationDetails = z.strictObject({
  comment: unsettableText().optional(),
  feedback: z
    .union([
      empty,
      choice(
        'customer_service',
        'low_quality',
        'missing_features',
        'other',
        'switched_service',
        'too_complex',
        'too_expensive',
        'unused',
      ),
    ])
    .optional(),
});
