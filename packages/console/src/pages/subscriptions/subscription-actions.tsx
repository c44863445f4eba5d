import type { Subscription } from '@billing/client';
import { lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FrameDialogButton } from '#resource/dialog-button.tsx';
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

/**
 * Changes the plan of a subscription, resumes it, cancels it at the end of its period or now, or takes that back. The dialogs stay
 * when it changes meanwhile.
 */
export function SubscriptionActions({ subscription, all = false, small = !all, children }: SubscriptionActionsProps) {
  const { cancelAtPeriodEnd } = subscription;
  if (hasEnded(subscription)) return null;
  return (
    <>
      {all && !isPaused(subscription) && (
        <FrameDialogButton small={small} dialog={<ChangePlanDialog subscription={subscription} />}>
          Change plan…
        </FrameDialogButton>
      )}
      {children}
      {all && !small && <RareActions subscription={subscription} />}
      {isPaused(subscription) && (
        <FrameDialogButton small={small} dialog={<UnpauseDialog subscription={subscription} />}>
          {subscription.paused ? 'Resume payments…' : 'Resume now…'}
        </FrameDialogButton>
      )}
      {cancelAtPeriodEnd && (
        <FrameDialogButton small={small} dialog={<ResumeDialog subscription={subscription} />}>
          Resume…
        </FrameDialogButton>
      )}
      {(all || !cancelAtPeriodEnd) && (
        <FrameDialogButton small={small} dialog={<CancelDialog subscription={subscription} />}>
          {endsOnlyNow(subscription) ? 'Cancel now…' : 'Cancel…'}
        </FrameDialogButton>
      )}
    </>
  );
}

/** Changes the trial of a subscription or its billing day, or pauses its payments. */
function RareActions({ subscription }: Pick<SubscriptionActionsProps, 'subscription'>) {
  const { status } = subscription;
  if (isPaused(subscription)) return null;
  return (
    <>
      {status === 'trialing' && (
        <FrameDialogButton dialog={<TrialDialog subscription={subscription} />}>Change the trial…</FrameDialogButton>
      )}
      {status === 'active' && (
        <FrameDialogButton dialog={<BillingDayDialog subscription={subscription} />}>
          New billing day…
        </FrameDialogButton>
      )}
      {status !== 'incomplete' && (
        <FrameDialogButton dialog={<PauseDialog subscription={subscription} />}>Pause…</FrameDialogButton>
      )}
    </>
  );
}
