import type { Subscription } from '@billing/client';
import { lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DialogButton, useShowDialog } from '#resource/dialog-button.tsx';
import { Button } from '#ui/button.tsx';
import { CancelDialog, ResumeDialog } from './cancel-dialog.tsx';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { endsOnlyNow, hasEnded, isPaused } from './next-step.ts';

const BillingDayDialog = lazyRouteComponent(() => import('./billing-day-dialog.tsx'), 'BillingDayDialog');
const PauseDialog = lazyRouteComponent(() => import('./pause-dialog.tsx'), 'PauseDialog');
const TrialDialog = lazyRouteComponent(() => import('./trial-dialog.tsx'), 'TrialDialog');
const UnpauseDialog = lazyRouteComponent(() => import('./unpause-dialog.tsx'), 'UnpauseDialog');

interface SubscriptionActionsProps {
  readonly subscription: Subscription;
  /** Where there is room for every action. */
  readonly all?: boolean;
  readonly small?: boolean;
  /** More of them. */
  readonly children?: ReactNode;
}

/** Changes the plan of a subscription, resumes it, cancels it at the end of its period or now, or takes that back. */
export function SubscriptionActions({ subscription, all = false, small = !all, children }: SubscriptionActionsProps) {
  const { cancelAtPeriodEnd } = subscription;
  const show = useShowDialog();
  if (hasEnded(subscription)) return null;
  return (
    <>
      {all && !isPaused(subscription) && (
        <DialogButton small={small} dialog={<ChangePlanDialog subscription={subscription} />}>
          Change plan…
        </DialogButton>
      )}
      {children}
      {all && !small && <RareActions subscription={subscription} />}
      {isPaused(subscription) && (
        <Button small={small} onClick={() => show(<UnpauseDialog subscription={subscription} />)}>
          {subscription.paused ? 'Resume payments…' : 'Resume now…'}
        </Button>
      )}
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

/** Changes the trial of a subscription or its billing day, or pauses its payments. The dialogs stay when it changes meanwhile. */
function RareActions({ subscription }: Pick<SubscriptionActionsProps, 'subscription'>) {
  const { status } = subscription;
  const show = useShowDialog();
  if (isPaused(subscription)) return null;
  return (
    <>
      {status === 'trialing' && (
        <Button onClick={() => show(<TrialDialog subscription={subscription} />)}>Change the trial…</Button>
      )}
      {status === 'active' && (
        <Button onClick={() => show(<BillingDayDialog subscription={subscription} />)}>New billing day…</Button>
      )}
      {status !== 'incomplete' && (
        <Button onClick={() => show(<PauseDialog subscription={subscription} />)}>Pause…</Button>
      )}
    </>
  );
}
