import type { Subscription } from '@billing/client';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';

const INVOICES: Readonly<Record<string, string>> = {
  void: 'Its invoices are voided.',
  keep_as_draft: 'Its invoices stay drafts.',
  mark_uncollectible: 'Its invoices become uncollectible.',
};

/** That nothing is charged of a subscription, until when, and why. */
export function PausedNotice({ subscription: { status, paused } }: { readonly subscription: Subscription }) {
  if (status === 'paused')
    return (
      <Notice tone="warn">
        <strong>The subscription is paused.</strong> Its trial ended without a payment method. It goes on once someone
        resumes it, and is charged then; before that its plan can’t change.
      </Notice>
    );
  if (!paused) return null;
  return (
    <Notice tone="warn">
      <strong>
        Payments are paused until{' '}
        {paused.resumesAt ? <Time at={paused.resumesAt} show="time" /> : 'someone resumes them'}.
      </strong>{' '}
      {INVOICES[paused.invoices]} Its plan can’t change meanwhile.
    </Notice>
  );
}
