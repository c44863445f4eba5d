import type { Subscription } from '@billing/client';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { FrameDialogButton } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { Notice } from '#ui/notice.tsx';
import { hasEnded } from './next-step.ts';

/** Whether Stripe has stopped computing the tax of a subscription that goes on. */
export const hasTaxStopped = (subscription: Subscription): boolean =>
  subscription.tax.stoppedReason !== null && !hasEnded(subscription);

/** Whether tax is computed for a subscription, and what to do where that has stopped. */
export function TaxCard({ subscription }: { readonly subscription: Subscription }) {
  const { tax, customerId } = subscription;
  const isStopped = hasTaxStopped(subscription);
  return (
    <Card
      title="Tax"
      actions={
        !hasEnded(subscription) && (
          <div className="row">
            {!tax.automatic && (
              <FrameDialogButton small dialog={<TaxDialog subscription={subscription} automatic />}>
                Turn tax on…
              </FrameDialogButton>
            )}
            {(tax.automatic || isStopped) && (
              <FrameDialogButton small dialog={<TaxDialog subscription={subscription} automatic={false} />}>
                Turn tax off…
              </FrameDialogButton>
            )}
          </div>
        )
      }
    >
      {isStopped ? (
        <Notice tone="warn">
          <strong>Tax has stopped.</strong> Stripe no longer recognizes where the customer is, and bills on without tax.
          Give the customer a whole address in the{' '}
          <ProjectLink page={`customers/${customerId}`}>billing details</ProjectLink>: tax then starts again by itself.
        </Notice>
      ) : (
        <p className="muted">
          {tax.automatic ? 'Stripe computes the tax of its invoices.' : 'Stripe does not compute tax for its invoices.'}
        </p>
      )}
    </Card>
  );
}

interface TaxDialogProps {
  readonly subscription: Subscription;
  readonly automatic: boolean;
}

/** Turns the tax of a subscription on or off. */
function TaxDialog({ subscription, automatic }: TaxDialogProps) {
  const { billing, key } = useProject();
  const title = automatic ? 'Turn tax on' : 'Turn tax off';
  return (
    <ConfirmWrite
      title={title}
      action={title}
      isHarmless={automatic}
      write={() => billing.subscriptions.setTax(subscription.id, { automatic })}
      stale={[key('subscriptions')]}
      done={automatic ? 'Stripe computes tax from the next invoice on.' : 'Stripe computes no tax any more.'}
    >
      {automatic
        ? 'From the next invoice on Stripe adds the tax of the place where the customer is. Nothing is charged now.'
        : 'From the next invoice on Stripe computes no tax for this subscription, also when the address is known again. Nothing is refunded.'}
    </ConfirmWrite>
  );
}
