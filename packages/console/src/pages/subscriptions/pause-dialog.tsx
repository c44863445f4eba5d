import type { Subscription, SubscriptionPauseCreate } from '@billing/client';
import { useProject } from '#api/project.ts';
import { choice } from '#resource/fields.tsx';
import { useOnce } from '#resource/use-once.ts';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { textOf } from '#ui/form.tsx';
import { editedTime, localText } from '#ui/local-text.ts';
import { useNow } from '#ui/time.tsx';
import { SubscriptionSummary } from './subscription-summary.tsx';

type PausedInvoices = NonNullable<SubscriptionPauseCreate['invoices']>;

/** What becomes of the invoices of a pause, in words. */
const PAUSED_INVOICES: Readonly<Record<PausedInvoices, string>> = {
  void: 'They are voided',
  keep_as_draft: 'They stay drafts',
  mark_uncollectible: 'They become uncollectible',
};

/** Pauses the payments of a subscription. */
export function PauseDialog({ subscription }: { readonly subscription: Subscription }) {
  const { billing, key } = useProject();
  const once = useOnce();
  const now = useNow();
  return (
    <WriteDialog
      title="Pause the payments"
      lead={
        <>
          <SubscriptionSummary subscription={subscription} />
          <p>The subscription and its periods go on, but nothing is charged. Nothing is refunded either.</p>
        </>
      }
      action="Pause"
      write={async fields => {
        const pause: SubscriptionPauseCreate = {
          invoices: textOf(fields, 'invoices') as PausedInvoices, // its options
          resumesAt: editedTime(textOf(fields, 'resumesAt'), null),
        };
        return once(JSON.stringify(pause), options => billing.subscriptions.pause(subscription.id, pause, options));
      }}
      stale={[key('subscriptions'), key('state')]}
      done="The payments are paused."
      fields={[
        choice({ name: 'invoices', label: 'Invoices of the pause', options: PAUSED_INVOICES }),
        {
          name: 'resumesAt',
          label: 'Until',
          type: 'datetime-local',
          min: localText(now),
          hint: 'Until someone resumes them, unless given.',
        },
      ]}
    />
  );
}
