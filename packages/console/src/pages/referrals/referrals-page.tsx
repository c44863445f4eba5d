import type { ReferralCode, ReferralCredit } from '@billing/client';
import { useProject } from '#api/project.ts';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { type Column, ListTable } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { moneyColumn } from '#resource/tables.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { Button } from '#ui/button.tsx';
import { textOf } from '#ui/form.tsx';
import { EmptyState } from '#ui/states.tsx';
import { CREDIT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink, customerColumn } from '../customers/customer-name.tsx';
import { CustomerSelect } from '../customers/customer-select.tsx';
import { CodeLink, CodeStatus } from './code-link.tsx';
import { earnedBy } from './earned-by.ts';
import { ProgramCard } from './program-card.tsx';

/** How soon the status of a credit that was sent again is shown. */
const CREDITS_REFRESH_MS = 5_000;

const CODE_COLUMNS: readonly Column<ReferralCode>[] = [
  {
    title: 'Code',
    cell: ({ code }) => <CodeLink code={code} />,
  },
  { title: 'Referrer', cell: ({ customerId }) => <CustomerLink id={customerId} /> },
  { title: 'Status', width: 'status', cell: code => <CodeStatus code={code} /> },
  { title: 'Created', width: 'date', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const CREDIT_COLUMNS: readonly Column<ReferralCredit>[] = [
  customerColumn,
  { title: 'For', cell: earnedBy },
  { title: 'Status', width: 'status', cell: ({ status }) => <StatusBadge of={CREDIT_STATUS[status]} /> },
  { title: 'Error', cell: ({ error, attempts }) => error && `${error} (${attempts} attempts)` },
  { title: 'Date', width: 'date', cell: ({ creditedAt, createdAt }) => <Time at={creditedAt ?? createdAt} /> },
  moneyColumn('Amount', ({ amount }) => amount),
  {
    title: 'Actions',
    width: 100,
    end: true,
    cell: credit => credit.status === 'failed' && <RetryCredit credit={credit} />,
  },
];

/** The referral program, its codes, and the credits that conversions earned. */
export function ReferralsPage() {
  const { billing, key } = useProject();
  const status = useFilters().oneOf('credits', CREDIT_STATUS);
  const create = useCreate('New code', <NewCodeDialog />);
  return (
    <Page
      title="Referrals"
      lead="Customers refer others with a code. When a referred customer subscribes, both are credited."
      actions={create.button}
    >
      <ProgramCard />
      <Card title="Codes" flush>
        <ListTable
          label="Referral codes"
          queryKey={key('referral-codes')}
          list={(page, signal) => billing.referrals.listCodes({ activeOnly: false, ...page }, { signal })}
          columns={CODE_COLUMNS}
          rowKey={({ code }) => code}
          empty={
            <EmptyState icon="referrals" title="No codes yet">
              A code belongs to a customer. Your product shows it to them, and applies it for those who sign up with it.
            </EmptyState>
          }
        />
      </Card>
      <Card
        title="Credits"
        flush
        actions={<SelectFilter name="credits" label="Status of credits" options={CREDIT_STATUS} all="All statuses" />}
      >
        <ListTable
          label="Credits"
          queryKey={key('credits', { status })}
          list={(page, signal) => billing.referrals.listCredits({ status, ...page }, { signal })}
          columns={CREDIT_COLUMNS}
          rowKey={({ id }) => id}
          refreshMs={CREDITS_REFRESH_MS}
          empty={
            <EmptyState icon="payments" title={status ? 'No credit matches' : 'No credits yet'}>
              {status
                ? 'Choose another status to see more.'
                : 'A conversion credits the balance of both customers in Stripe.'}
            </EmptyState>
          }
        />
      </Card>
      {create.dialog}
    </Page>
  );
}

/** Creates a code for a customer, who is found by a search. */
function NewCodeDialog() {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      title="New code"
      action="Create the code"
      write={(fields: FormData) => billing.referrals.createCode({ customerId: textOf(fields, 'customer') })}
      stale={[key('referral-codes')]}
      opens={({ code }) => `referrals/${code}`}
    >
      <CustomerSelect label="Referrer" name="customer" hint="A customer has one active code." />
    </WriteDialog>
  );
}

/** Sends a credit again that failed. */
function RetryCredit({ credit }: { readonly credit: ReferralCredit }) {
  const { billing, key } = useProject();
  const retry = useWrite({
    write: () => billing.referrals.retryCredit(credit.id),
    stale: [key('credits')],
    done: 'The credit is sent again.',
    failed: 'The credit was not sent again.',
  });
  return (
    <Button small busy={retry.isPending} onClick={() => retry.mutate()}>
      Retry
    </Button>
  );
}
