import type { Subscription } from '@billing/client';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { CancelDialog, ResumeDialog } from './cancel-dialog.tsx';
import { endsOnlyNow } from './next-step.ts';

const ENDED: readonly Subscription['status'][] = ['canceled', 'incomplete_expired'];

interface SubscriptionActionsProps {
  readonly subscription: Subscription;
  /** On the subscription's own page, which has room for every action. */
  readonly all?: boolean;
}

/** Cancels a subscription at the end of its period or now, or takes a scheduled cancellation back. */
export function SubscriptionActions({ subscription, all = false }: SubscriptionActionsProps) {
  const [dialog, setDialog] = useState<'cancel' | 'resume'>();
  const close = () => setDialog(undefined);
  const { status, cancelAtPeriodEnd } = subscription;
  if (ENDED.includes(status)) return null;
  return (
    <>
      {cancelAtPeriodEnd && (
        <Button small={!all} onClick={() => setDialog('resume')}>
          Resume…
        </Button>
      )}
      {(all || !cancelAtPeriodEnd) && (
        <Button small={!all} onClick={() => setDialog('cancel')}>
          {endsOnlyNow(subscription) ? 'Cancel now…' : 'Cancel…'}
        </Button>
      )}
      {dialog === 'cancel' && <CancelDialog subscription={subscription} onClose={close} />}
      {dialog === 'resume' && <ResumeDialog subscription={subscription} onClose={close} />}
    </>
  );
}
