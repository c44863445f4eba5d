import { cancellationReason, MAX_COMMENT } from '@billing/contracts/resources/cancellation';
import { z } from 'zod';

/** What a browser sends of a text: lines end with CR and LF, which its own limit counts as one. Too much is cut off. */
const comment = z
  .string()
  .transform(typed => typed.replaceAll('\r\n', '\n').replaceAll('\0', '').slice(0, MAX_COMMENT).toWellFormed());

/** The form with which a customer cancels. Nothing of it is needed; a value that the page does not have is ignored. */
export const cancelForm = z.preprocess(
  fields => fields ?? {},
  z.object({
    reason: cancellationReason.optional().catch(undefined),
    comment: comment.optional().catch(undefined),
    offer: z.literal('declined').optional().catch(undefined),
  }),
);

/** The form with which a customer accepts an offer: it names what was offered. */
export const saveOfferForm = z.preprocess(
  fields => fields ?? {},
  z.object({ promotionCodeId: z.string().optional().catch(undefined) }),
);
