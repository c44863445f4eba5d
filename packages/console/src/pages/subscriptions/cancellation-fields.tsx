import type { CancellationReason, Subscription, SubscriptionCancel } from '@billing/client';
import { Options, SelectField, TextAreaField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { CANCELLATION_REASONS } from './cancellation-reasons.ts';

/** What the customer says who cancels, as a part of a form. */
export const CancellationFields = ({ known }: { readonly known: Subscription['cancellation'] }) => (
  <>
    <SelectField label="Why the customer cancels" name="reason" defaultValue={known?.reason ?? ''}>
      <option value="">Not known</option>
      <Options of={CANCELLATION_REASONS} />
    </SelectField>
    <TextAreaField
      label="What the customer says about it"
      name="comment"
      rows={2}
      maxLength={500}
      defaultValue={known?.comment ?? ''}
    />
  </>
);

/** Returns what such fields say. */
export function cancellationOf(fields: FormData): SubscriptionCancel {
  const [reason, comment] = [textOf(fields, 'reason'), textOf(fields, 'comment')];
  return {
    ...(reason !== '' && { reason: reason as CancellationReason }), // the options of the field
    ...(comment !== '' && { comment }),
  };
}
