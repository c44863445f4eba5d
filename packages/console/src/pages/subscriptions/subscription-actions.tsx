import type { Subscription } from '@billing/client';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { CancelDialog, ResumeDialog } from './cancel-dialog.tsx';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { endsOnlyNow, hasEnded } from './next-step.ts';

interface SubscriptionActionsProps {
  readonly subscription: Subscription;
  /** On the subscription's own page, which has room for every action. */
  readonly all?: boolean;
}

/** Changes the plan of a subscription, cancels it at the end of its period or now, or takes a scheduled cancellation back. */
export function SubscriptionActions({ subscription, all = false }: SubscriptionActionsProps) {
  const [dialog, setDialog] = useState<'change' | 'cancel' | 'resume'>();
  const close = () => setDialog(undefined);
  const { cancelAtPeriodEnd } = subscription;
  if (hasEnded(subscription)) return null;
  return (
    <>
      {all && <Button onClick={() => setDialog('change')}>Change plan…</Button>}
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
      {dialog === 'change' && <ChangePlanDialog subscription={subscription} onClose={close} />}
      {dialog === 'cancel' && <CancelDialog subscription={subscription} onClose={close} />}
      {dialog === 'resume' && <ResumeDialog subscription={subscription} onClose={close} />}
    </>
  );
}
