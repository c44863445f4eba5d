import type { PriceMigrationFinding } from '@billing/client';
import type { ProjectScope } from '#api/project.ts';
import { exportedColumn } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { formatExactMoney } from '#ui/money.ts';
import { StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { currencyColumn, customerColumns } from '../exported-columns.ts';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { explainMigration, MIGRATION_OUTCOME } from './migration-words.ts';

/** A monthly amount; tiers and usage have none. */
const monthly = (amount: string | null, currency: string) => (
  <span className="num">{amount === null ? '–' : formatExactMoney(amount, currency)}</span>
);

export const FINDING_COLUMNS: readonly Column<PriceMigrationFinding>[] = [
  { title: 'Customer', cell: ({ customerId }) => <CustomerLink id={customerId} /> },
  { title: 'Subscription', cell: ({ subscriptionId }) => <SubscriptionIdLink id={subscriptionId} /> },
  { title: 'Outcome', cell: ({ outcome }) => <StatusBadge of={MIGRATION_OUTCOME[outcome]} /> },
  { title: 'Why', cell: explainMigration },
  { title: 'A month', end: true, cell: ({ oldAmount, currency }) => monthly(oldAmount, currency) },
  { title: 'Then', end: true, cell: ({ newAmount, currency }) => monthly(newAmount, currency) },
  { title: 'Changes', end: true, cell: ({ effectiveAt }) => <Time at={effectiveAt} /> },
];

/** The columns of an export of findings. */
export const exportedFindings = (scope: ProjectScope): readonly Column<PriceMigrationFinding>[] => [
  ...customerColumns<PriceMigrationFinding>(scope),
  exportedColumn('Subscription id', ({ subscriptionId }) => subscriptionId),
  exportedColumn('Outcome', ({ outcome }) => outcome),
  exportedColumn('Why', finding => explainMigration(finding)),
  exportedColumn('Amount a month, in the smallest unit', ({ oldAmount }) => oldAmount),
  exportedColumn('New amount a month, in the smallest unit', ({ newAmount }) => newAmount),
  currencyColumn(),
  exportedColumn('Changes', ({ effectiveAt }) => effectiveAt),
  exportedColumn('Change id', ({ changeId }) => changeId),
];
