import type { CustomerState, Invoice, Payment } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { stateQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useFirstPage } from '#layout/use-list-rows.ts';
import { DialogButton } from '#resource/dialog-button.tsx';
import { CopyButton } from '#ui/copy.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { methodText } from '#ui/payment-method.ts';
import { PAYMENT_STATE } from '#ui/statuses.tsx';
import { Time, useNow } from '#ui/time.tsx';
import { describeFailedPayment, failureOf } from '../failing-payments/failure-words.ts';
import { retriedOf, RetryDialog } from '../invoices/retry-dialog.tsx';
import { ProductNames } from '../products/product-name.tsx';
import { revenueText, useCustomerMetrics } from './customer-metrics.ts';
import { earliestOpen, nextInvoice, paidText, tookMoney } from './customer-money.ts';
import { customerLists } from './customer-records.ts';

const REFRESH_MS = 5_000;

/** What a customer pays, whether all is paid, and what to do if not. */
export function CustomerSummary({ customerId }: { readonly customerId: string }) {
  const scope = useProject();
  const lists = customerLists(scope, customerId);
  const metrics = useCustomerMetrics(customerId, REFRESH_MS);
  const state = useQuery(stateQuery(scope, customerId));
  const [invoices, payments] = [useFirstPage(lists.invoices), useFirstPage(lists.payments)];
  if (!state.data || !invoices.data || !payments.data || metrics.isPending)
    return (
      <Card>
        <Loading query={[state, invoices, payments].find(({ data }) => !data) ?? metrics} lines={2} />
      </Card>
    );
  const { subscriptions, subscriptionsTotal: count } = state.data;
  const mrr = metrics.data?.mrr ?? [];
  const next = nextInvoice(subscriptions);
  const last = payments.data.items.find(tookMoney);
  return (
    <div className="stack">
      <dl className="figures even">
        <Fact name="MRR" value={revenueText(mrr)}>
          {count === 1 ? '1 subscription' : `${count || 'no'} subscriptions`}
          {count > 0 && mrr.length === 0 && ', adding nothing at present'}
        </Fact>
        <Fact name="Next invoice" value={next?.amount ?? '–'}>
          {next ? (
            <>
              <Time at={next.at} /> for <ProductNames items={next.subscription.items} />
              {next.words === 'Changes' ? ', as its plan changes' : next.amount && ', before discounts and taxes'}
            </>
          ) : (
            'Nothing renews.'
          )}
        </Fact>
        <Fact name="Paid in all" value={paidText(payments.data)}>
          {last ? (
            <>
              last on <Time at={last.createdAt} /> · <bdi className="num">{methodText(last.paymentMethod)}</bdi>
            </>
          ) : (
            'Nothing yet.'
          )}
        </Fact>
        <OwedFact {...state.data} />
      </dl>
      <OwedNotice payment={state.data.payment} invoices={invoices.data.items} payments={payments.data.items} />
    </div>
  );
}

interface FactProps {
  readonly name: string;
  readonly value: string;
  readonly tone?: 'up' | 'fall' | '';
  readonly children: ReactNode;
}

const Fact = ({ name, value, tone = '', children }: FactProps) => (
  <div className="figure">
    <dt>{name}</dt>
    <dd className={`value ${tone}`}>{value}</dd>
    <dd className="note">{children}</dd>
  </div>
);

function OwedFact({ payment, balance }: CustomerState) {
  const { status, amountDue, currency, pastDueSince } = payment;
  const { name } = PAYMENT_STATE[status];
  const isOwed = amountDue > 0 && currency !== null;
  const note = status !== 'ok' ? name : isOwed ? 'Waits for payment' : describeBalance(balance);
  return (
    <Fact
      name={isOwed ? 'Owed' : 'Payments'}
      value={isOwed ? formatMoney(amountDue, currency) : name}
      tone={status !== 'ok' ? 'fall' : isOwed ? '' : 'up'}
    >
      {note}
      {pastDueSince && (
        <>
          {' '}
          since <Time at={pastDueSince} />
        </>
      )}
      {isOwed && balance && balance.credit !== 0 && `, ${describeBalance(balance)}`}
    </Fact>
  );
}

/** Stripe takes a credit off the next invoices, and adds a debt to them. */
function describeBalance(balance: CustomerState['balance']): string {
  if (!balance || balance.credit === 0) return 'Nothing is owed.';
  const { credit, currency } = balance;
  return credit > 0
    ? `${formatMoney(credit, currency)} credit`
    : `${formatMoney(-credit, currency)} owed with the next invoice`;
}

interface OwedNoticeProps {
  readonly payment: CustomerState['payment'];
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
}

/** Why something is owed, until when the customer keeps access, and ways to have it paid. */
function OwedNotice({ payment, invoices, payments }: OwedNoticeProps) {
  const now = useNow();
  const { status, graceEndsAt, nextRetryAt, attempts, amountDue, hostedInvoiceUrl } = payment;
  if (status === 'ok' && amountDue === 0) return null;
  const invoice = earliestOpen(invoices, hostedInvoiceUrl);
  const failed = payments.find(it => it.status === 'failed' && it.invoiceId === invoice?.id);
  return (
    <Notice tone={status === 'ok' ? 'warn' : 'bad'}>
      <div className="spread">
        <p className="grow">
          <strong>
            {failed ? `The payment failed: ${describeFailedPayment(failureOf(failed))}` : 'A payment is open.'}
          </strong>{' '}
          {graceEndsAt && (
            <>
              {new Date(graceEndsAt) > now ? 'Access goes on in grace until' : 'The grace is over since'}{' '}
              <Time at={graceEndsAt} show="time" />.{' '}
            </>
          )}
          {nextRetryAt ? (
            <>
              Stripe tries again <Time at={nextRetryAt} show="time" />.
            </>
          ) : (
            attempts > 0 && 'Stripe does not try again by itself.'
          )}
        </p>
        <div className="row">
          {invoice && failed && (
            <DialogButton small dialog={<RetryDialog {...retriedOf(invoice, failed)} />}>
              Retry the payment…
            </DialogButton>
          )}
          {hostedInvoiceUrl && <CopyButton text={hostedInvoiceUrl}>Copy the payment link</CopyButton>}
        </div>
      </div>
    </Notice>
  );
}
