import type { Subscription } from '@billing/client';
import type { ReactNode } from 'react';
import { DialogButton } from '#resource/dialog-button.tsx';
import { CancelDialog, ResumeDialog } from './cancel-dialog.tsx';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { endsOnlyNow, hasEnded } from './next-step.ts';

interface SubscriptionActionsProps {
  readonly subscription: Subscription;
  /** Where there is room for every action. */
  readonly all?: boolean;
  readonly small?: boolean;
  /** More of them. */
  readonly children?: ReactNode;
}

/** Changes the plan of a subscription, cancels it at the end of its period or now, or takes a scheduled cancellation back. */
export function SubscriptionActions({ subscription, all = false, small = !all, children }: SubscriptionActionsProps) {
  const { cancelAtPeriodEnd } = subscription;
  if (hasEnded(subscription)) return null;
  return (
    <>
      {all && (
        <DialogButton small={small} dialog={<ChangePlanDialog subscription={subscription} />}>
          Change plan…
        </DialogButton>
      )}
      {children}
      {cancelAtPeriodEnd && (
        <DialogButton small={small} dialog={<ResumeDialog subscription={subscription} />}>
          Resume…
        </DialogButton>
      )}
      {(all || !cancelAtPeriodEnd) && (
        <DialogButton small={small} dialog={<CancelDialog subscription={subscription} />}>
          {endsOnlyNow(subscription) ? 'Cancel now…' : 'Cancel…'}
        </DialogButton>
      )}
    </>
  );
}
