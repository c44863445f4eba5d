import type { CancellationReason, Subscription, SubscriptionCancel } from '@billing/client';
import { Options, SelectField, TextAreaField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';

/** Why customers cancel, in words. */
export const CANCELLATION_REASONS: Readonly<Record<CancellationReason, string>> = {
  too_expensive: 'Too expensive',
  missing_features: 'Missing features',
  switched_service: 'Switched to another service',
  unused: 'Not used any more',
  customer_service: 'Customer service',
  too_complex: 'Too complex',
  low_quality: 'Low quality',
  other: 'Another reason',
};

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
