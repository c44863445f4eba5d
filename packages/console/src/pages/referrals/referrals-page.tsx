import type { ReferralCode, ReferralCredit } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { Button } from '#ui/button.tsx';
import { formatMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { CREDIT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { CodeLink, CodeStatus } from './code-link.tsx';
import { earnedBy } from './earned-by.ts';
import { NewCodeDialog } from './new-code-dialog.tsx';
import { ProgramCard } from './program-card.tsx';
import { RetryCredit } from './retry-credit.tsx';

/** How soon the status of a credit that was sent again is shown. */
const CREDITS_REFRESH_MS = 5_000;

const CODE_COLUMNS: readonly Column<ReferralCode>[] = [
  {
    title: 'Code',
    cell: ({ code }) => <CodeLink code={code} />,
  },
  { title: 'Referrer', cell: ({ customerId }) => <CustomerLink id={customerId} /> },
  { title: 'Status', cell: code => <CodeStatus code={code} /> },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const CREDIT_COLUMNS: readonly Column<ReferralCredit>[] = [
  { title: 'Customer', cell: ({ customerId }) => <CustomerLink id={customerId} /> },
  { title: 'For', cell: earnedBy },
  { title: 'Status', cell: ({ status }) => <StatusBadge of={CREDIT_STATUS[status]} /> },
  { title: 'Error', cell: ({ error, attempts }) => error && `${error} (${attempts} attempts)` },
  { title: 'Date', cell: ({ creditedAt, createdAt }) => <Time at={creditedAt ?? createdAt} /> },
  {
    title: 'Amount',
    end: true,
    cell: ({ amount, currency }) => <span className="num">{formatMoney(amount, currency)}</span>,
  },
  { title: 'Actions', end: true, cell: credit => credit.status === 'failed' && <RetryCredit credit={credit} /> },
];

/** The referral program, its codes, and the credits that conversions earned. */
export function ReferralsPage() {
  const { billing, key } = useProject();
  const status = useFilters().oneOf('credits', CREDIT_STATUS);
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New code
    </Button>
  );
  return (
    <Page
      title="Referrals"
      lead="Customers refer others with a code. When a referred customer subscribes, both are credited."
      actions={create}
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
      {creating && <NewCodeDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}
