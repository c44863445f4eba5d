import type { Customer } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { featuresQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { ListTable } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useFirstPage } from '#layout/use-list-rows.ts';
import { DialogButton } from '#resource/dialog-button.tsx';
import { Icon } from '#ui/icon.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { INVOICE_COLUMNS } from '../invoices/columns.tsx';
import { retriedOf, RetryDialog } from '../invoices/retry-dialog.tsx';
import { PAYMENT_COLUMNS } from '../payments/columns.tsx';
import { PaymentActions } from '../payments/payment-actions.tsx';
import { customerEventsQuery, customerLists } from './customer-records.ts';
import { referralQuery } from './referral-query.ts';
import { timelineOf, type TimelineEntry } from './timeline.ts';

const VIEWS = ['Timeline', 'Invoices', 'Payments'] as const;

/** What happened with a customer: in sentences, or as the invoices and payments alone. */
export function CustomerHistory({ customer }: { readonly customer: Customer }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Timeline');
  const { invoices, payments } = customerLists(useProject(), customer.id);
  const rowKey = ({ id }: { readonly id: string }) => id;
  return (
    <Card
      title="What happened"
      flush
      actions={
        <div className="segments" role="group" aria-label="Show">
          {VIEWS.map(name => (
            <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
              {name}
            </button>
          ))}
        </div>
      }
    >
      {view === 'Timeline' && <Timeline customer={customer} />}
      {view === 'Invoices' && (
        <ListTable
          label="Invoices"
          {...invoices}
          rowKey={rowKey}
          columns={INVOICE_COLUMNS}
          empty={<EmptyState icon="invoices" title="No invoices" />}
        />
      )}
      {view === 'Payments' && (
        <ListTable
          label="Payments"
          {...payments}
          rowKey={rowKey}
          columns={PAYMENT_COLUMNS}
          empty={<EmptyState icon="payments" title="No payments" />}
        />
      )}
    </Card>
  );
}

function Timeline({ customer }: { readonly customer: Customer }) {
  const scope = useProject();
  const lists = customerLists(scope, customer.id);
  const names = useProductNames();
  const { data: referrals } = useQuery(referralQuery(scope, customer.id));
  const { data: features } = useQuery(featuresQuery(scope));
  const events = useQuery(customerEventsQuery(scope, customer.id));
  const [subscriptions, invoices, payments] = [
    useFirstPage(lists.subscriptions),
    useFirstPage(lists.invoices),
    useFirstPage(lists.payments),
  ];
  const waiting = [subscriptions, invoices, payments, events].find(({ data }) => data === undefined);
  if (waiting || !names.isLoaded) return <Loading query={waiting ?? { ...events, data: undefined }} flush lines={4} />;
  const entries = timelineOf({
    customer,
    referral: referrals?.referral ?? null,
    names,
    features: features ?? [],
    subscriptions: subscriptions.data?.items ?? [],
    invoices: invoices.data?.items ?? [],
    payments: payments.data?.items ?? [],
    events: events.data ?? [],
  });
  return (
    <ol className="card-body timeline" aria-label="Timeline">
      {entries.map((entry, index) => (
        <Entry key={`${entry.at}${index}`} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ entry: { at, icon, text, note, place, payment, unpaid } }: { readonly entry: TimelineEntry }) {
  return (
    <li>
      <Icon name={icon} />
      <div className="grow">
        {place ? (
          <ProjectLink {...place} className="timeline-link">
            {text}
          </ProjectLink>
        ) : (
          <span className="timeline-link">{text}</span>
        )}
        <div className="muted small">
          <Time at={at} show="relative" />
          {note && <bdi> · {note}</bdi>}
        </div>
      </div>
      {payment && <PaymentActions payment={payment} />}
      {payment && unpaid && (
        <DialogButton small dialog={<RetryDialog {...retriedOf(unpaid, payment)} />}>
          Retry…
        </DialogButton>
      )}
    </li>
  );
}
