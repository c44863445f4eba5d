import type { IconName } from '#ui/icon.tsx';
import type { ProjectPage } from './project-link.tsx';

interface NavItem {
  readonly page: ProjectPage;
  readonly title: string;
  readonly icon: IconName;
  /** Only owners of the team may see it. */
  readonly forOwners?: boolean;
}

/** The pages of a project in the sidebar and the command palette. */
export const NAV: readonly { readonly title?: string; readonly items: readonly NavItem[] }[] = [
  {
    items: [
      { page: 'overview', title: 'Overview', icon: 'overview' },
      { page: 'start', title: 'Get started', icon: 'start' },
    ],
  },
  {
    title: 'Billing',
    items: [
      { page: 'customers', title: 'Customers', icon: 'customers' },
      { page: 'subscriptions', title: 'Subscriptions', icon: 'subscriptions' },
      { page: 'invoices', title: 'Invoices', icon: 'invoices' },
      { page: 'payments', title: 'Payments', icon: 'payments' },
      { page: 'failing-payments', title: 'Failing payments', icon: 'retry' },
      { page: 'products', title: 'Products', icon: 'products' },
      { page: 'features', title: 'Features', icon: 'features' },
      { page: 'coupons', title: 'Coupons', icon: 'coupons' },
      { page: 'referrals', title: 'Referrals', icon: 'referrals' },
    ],
  },
  {
    title: 'Operations',
    items: [
      { page: 'events', title: 'Events', icon: 'events' },
      { page: 'webhook-endpoints', title: 'Webhook endpoints', icon: 'send' },
      { page: 'dead-letters', title: 'Dead letters', icon: 'warning', forOwners: true },
      { page: 'settings/keys', title: 'API keys', icon: 'key' },
      { page: 'settings/connection', title: 'Connection', icon: 'connection' },
      { page: 'settings/syncs', title: 'Syncs', icon: 'retry' },
      { page: 'price-migrations', title: 'Price migrations', icon: 'rise' },
      { page: 'settings/portal', title: 'Portal', icon: 'external' },
      { page: 'settings/members', title: 'Members', icon: 'people' },
      { page: 'settings/audit-log', title: 'Audit log', icon: 'log', forOwners: true },
      { page: 'settings/project', title: 'Project', icon: 'settings' },
    ],
  },
];
