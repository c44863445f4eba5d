import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { useShowDialog } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';
import { priceIn } from '../products/price-in.ts';

type Pending = NonNullable<Subscription['pendingChange']>;
type Scheduled = NonNullable<Subscription['scheduledChange']>;

/** What a subscription changes to later: what waits for its payment, and what is scheduled, each with a way to take it back. */
export function PlannedChanges({ subscription }: { readonly subscription: Subscription }) {
  const { pendingChange, scheduledChange } = subscription;
  const show = useShowDialog();
  if (!pendingChange && !scheduledChange) return null;
  const currency = subscription.items[0]?.currency ?? 'usd';
  const onDrop = () => show(<DropDialog subscription={subscription} />);
  return (
    <div className="stack">
      {pendingChange && <PendingNotice change={pendingChange} currency={currency} onDrop={onDrop} />}
      {scheduledChange && (
        // What is pending is taken back before it.
        <ScheduledNotice change={scheduledChange} currency={currency} {...(!pendingChange && { onDrop })} />
      )}
    </div>
  );
}

interface PendingNoticeProps {
  readonly change: Pending;
  readonly currency: string;
  readonly onDrop: () => void;
}

function PendingNotice({ change, currency, onDrop }: PendingNoticeProps) {
  const { items, amountDue, reason, hostedInvoiceUrl, expiresAt } = change;
  return (
    <Notice tone="warn">
      <div className="stack-s">
        <p>
          <strong>A change waits for its payment.</strong> The plan becomes{' '}
          <PlannedItems items={items} currency={currency} /> once {formatMoney(amountDue, currency)} is paid; until then
          it is as before.{' '}
          {reason === 'authentication_required'
            ? 'The bank wants the customer to confirm the payment.'
            : 'The bank declined the payment: the customer can pay with another card.'}
        </p>
        <p>
          {hostedInvoiceUrl ? 'Send the customer the link to the page that does it. ' : ''}It ends{' '}
          <Time at={expiresAt} show="time" />, and then nothing changes.
        </p>
        <div className="row">
          {hostedInvoiceUrl && <CopyButton text={hostedInvoiceUrl}>Copy the payment link</CopyButton>}
          <Button small onClick={onDrop}>
            Drop the change…
          </Button>
        </div>
      </div>
    </Notice>
  );
}

interface ScheduledNoticeProps {
  readonly change: Scheduled;
  readonly currency: string;
  readonly onDrop?: () => void;
}

function ScheduledNotice({ change, currency, onDrop }: ScheduledNoticeProps) {
  return (
    <Notice>
      <div className="stack-s">
        <p>
          <strong>
            A change is scheduled for <Time at={change.effectiveAt} show="time" />.
          </strong>{' '}
          The plan becomes <PlannedItems items={change.items} currency={currency} />.
        </p>
        {onDrop && (
          <div className="row">
            <Button small onClick={onDrop}>
              Take it back…
            </Button>
          </div>
        )}
      </div>
    </Notice>
  );
}

/** What a subscription will bill, in its currency: `3 × Pro, $29.00 a month`. */
function PlannedItems({ items, currency }: Pick<Scheduled, 'items'> & { readonly currency: string }) {
  const { data: prices = [] } = useQuery(pricesQuery(useProject()));
  const names = useProductNames();
  const shown = items.map(({ priceId, processorPriceId, quantity }) => {
    const price = prices.find(({ id }) => id === priceId);
    const name = names.ofPrice(priceId) ?? processorPriceId;
    return `${quantity} × ${name}${price ? `, ${formatPrice(priceIn(price, currency) ?? price)}` : ''}`;
  });
  return <bdi>{shown.join(' + ')}</bdi>;
}

/** Takes back what is pending, else what is scheduled. */
function DropDialog({ subscription }: { readonly subscription: Subscription }) {
  const { billing, key } = useProject();
  const isPending = subscription.pendingChange !== null;
  return (
    <ConfirmWrite
      title={isPending ? 'Drop the change' : 'Take the change back'}
      action={isPending ? 'Drop the change' : 'Take it back'}
      write={() => billing.subscriptions.dropChange(subscription.id)}
      stale={[key('subscriptions'), key('invoices')]}
      done={isPending ? 'The change is dropped, and its invoice is void.' : 'The change is taken back.'}
    >
      {isPending ? (
        <>
          The plan stays as it is. The invoice of the change is voided, so that nobody can pay it any more.
          {subscription.scheduledChange && ' The change that is scheduled stays.'}
        </>
      ) : (
        'The plan stays as it is, and renews at the end of the period.'
      )}
    </ConfirmWrite>
  );
}
