import type { IconName } from '#ui/icon.tsx';
import type { ProjectPage } from './project-link.tsx';

export interface NavItem {
  readonly page: ProjectPage;
  readonly title: string;
  readonly icon: IconName;
  /** Only owners of the team may see it. */
  readonly forOwners?: boolean;
  /** Only test mode has it. */
  readonly inTestMode?: boolean;
}

interface NavGroup {
  readonly title: string;
  readonly icon: IconName;
  readonly items: readonly NavItem[];
}

/** The pages of a project that the sidebar shows at once. */
export const NAV: readonly NavItem[] = [
  { page: 'overview', title: 'Overview', icon: 'overview' },
  { page: 'customers', title: 'Customers', icon: 'customers' },
  { page: 'subscriptions', title: 'Subscriptions', icon: 'subscriptions' },
  { page: 'invoices', title: 'Invoices', icon: 'invoices' },
  { page: 'payments', title: 'Payments', icon: 'payments' },
  { page: 'failing-payments', title: 'Failing payments', icon: 'retry' },
  { page: 'products', title: 'Products', icon: 'products' },
  { page: 'features', title: 'Features', icon: 'features' },
  { page: 'coupons', title: 'Coupons', icon: 'coupons' },
  { page: 'referrals', title: 'Referrals', icon: 'referrals' },
];

/** The others, in groups that open. */
export const NAV_GROUPS: readonly NavGroup[] = [
  {
    title: 'Developers',
    icon: 'code',
    items: [
      { page: 'start', title: 'Get started', icon: 'start' },
      { page: 'settings/keys', title: 'API keys', icon: 'key' },
      { page: 'webhook-endpoints', title: 'Webhook endpoints', icon: 'send' },
      { page: 'events', title: 'Events', icon: 'events' },
      { page: 'dead-letters', title: 'Dead letters', icon: 'warning', forOwners: true },
      { page: 'settings/connection', title: 'Connection', icon: 'connection' },
      { page: 'settings/syncs', title: 'Syncs', icon: 'retry' },
      { page: 'price-migrations', title: 'Price migrations', icon: 'rise' },
      { page: 'test-clocks', title: 'Test clocks', icon: 'clock', inTestMode: true },
    ],
  },
  {
    title: 'Settings',
    icon: 'settings',
    items: [
      { page: 'settings/project', title: 'Project', icon: 'settings' },
      { page: 'settings/portal', title: 'Portal', icon: 'external' },
      { page: 'settings/members', title: 'Members', icon: 'people' },
      { page: 'settings/audit-log', title: 'Audit log', icon: 'log', forOwners: true },
    ],
  },
];
