import type { CustomerState } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { stateQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { Card } from '#layout/page.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { SkeletonLines } from '#ui/states.tsx';
import { PAYMENT_STATE, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';

/** How far a customer has paid, the balance, and the checkouts that are open. */
export function PaymentCard({ customerId }: { readonly customerId: string }) {
  const { data, error } = useQuery(stateQuery(useProject(), customerId));
  // The card of what the customer may use says why there is none.
  if (error && !data) return null;
  return <Card title="Payment">{data ? <PaymentState {...data} /> : <SkeletonLines lines={2} />}</Card>;
}

function PaymentState({ payment, balance, pendingCheckouts }: CustomerState) {
  const { status, pastDueSince, graceEndsAt, nextRetryAt, attempts, amountDue, currency, hostedInvoiceUrl } = payment;
  return (
    <Details
      narrow
      of={{
        Status: <StatusBadge of={PAYMENT_STATE[status]} />,
        'Past due since': pastDueSince && <Time at={pastDueSince} show="time" />,
        'Grace ends': graceEndsAt && <Time at={graceEndsAt} show="time" />,
        Due:
          amountDue > 0 && currency ? (
            <span className="row">
              <span className="num">{formatMoney(amountDue, currency)}</span>
              {hostedInvoiceUrl && (
                <a href={hostedInvoiceUrl} target="_blank" rel="noreferrer">
                  Page to pay it
                </a>
              )}
            </span>
          ) : undefined,
        Attempts: attempts || undefined,
        'Next attempt': nextRetryAt && <Time at={nextRetryAt} show="time" />,
        Balance: balance && describeBalance(balance),
        'Open checkouts': pendingCheckouts.length > 0 ? <Checkouts checkouts={pendingCheckouts} /> : undefined,
      }}
    />
  );
}

/** Stripe takes a credit off the next invoices, and adds a debt to them. */
function describeBalance({ credit, currency }: NonNullable<CustomerState['balance']>): string | undefined {
  if (credit === 0) return undefined;
  return credit > 0
    ? `${formatMoney(credit, currency)} credit`
    : `${formatMoney(-credit, currency)} owed with the next invoice`;
}

function Checkouts({ checkouts }: { readonly checkouts: CustomerState['pendingCheckouts'] }) {
  const names = useProductNames();
  return (
    <ul className="stack-s">
      {checkouts.map(({ sessionId, priceId, url, createdAt }) => (
        <li key={sessionId}>
          <a href={url} target="_blank" rel="noreferrer">
            <bdi>{names.ofPrice(priceId) ?? 'Checkout'}</bdi>
          </a>{' '}
          <span className="muted">
            of <Time at={createdAt} show="relative" />
          </span>
        </li>
      ))}
    </ul>
  );
}
