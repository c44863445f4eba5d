import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client, projectsQuery, queryClient, sessionQuery, teamsQuery } from '#api/client.ts';
import { scopeOf } from '#api/project.ts';
import { membersQuery } from '#api/queries.ts';
import { readLastProject } from '#layout/last-project.ts';
import { ErrorPage, NotFoundPage, PendingPage } from '#layout/page-states.tsx';
import { Shell } from '#layout/shell.tsx';
import { safePath } from '#pages/sign-in/safe-path.ts';

type Pages<Name extends string> = Readonly<Record<Name, () => ReactNode>>;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const root = createRootRoute({ component: Outlet, errorComponent: ErrorPage, notFoundComponent: NotFoundPage });

/** Where signed-out people are; those who are signed in go on. */
const entry = createRoute({
  getParentRoute: () => root,
  id: 'entry',
  validateSearch: (search: Record<string, unknown>) => ({
    /** Where the reader was heading. */
    from: safePath(text(search['from'])),
    /** Whether that was the page on which their session ended. */
    ended: search['ended'] === true || undefined,
  }),
  beforeLoad: async ({ search }) => {
    if (await queryClient.ensureQueryData(sessionQuery)) throw redirect({ href: search.from ?? '/' });
  },
});
const signIn = createRoute({
  getParentRoute: () => entry,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('#pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => entry,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('#pages/sign-in/sign-up-page.tsx'), 'SignUpPage'),
});

/** A page that a secret link opens, for who is signed in or not. */
const linkPage = <Path extends string, Name extends string>(path: Path, load: () => Promise<Pages<Name>>, name: Name) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) });
const linkPages = [
  linkPage('/accept-invitation', () => import('#pages/sign-in/accept-invitation-page.tsx'), 'AcceptInvitationPage'),
  linkPage('/reset-password', () => import('#pages/sign-in/link-pages.tsx'), 'ResetPasswordPage'),
  linkPage('/verify-email', () => import('#pages/sign-in/link-pages.tsx'), 'VerifyEmailPage'),
];

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if (await queryClient.ensureQueryData(sessionQuery)) return;
    throw redirect({ to: '/sign-in', search: { from: location.pathname === '/' ? undefined : location.href } });
  },
});

/** Opens a project of a team, or the step that makes its first one. */
async function openTeam(teamId: string): Promise<never> {
  const [project] = (await client.team(teamId).projects.list({ limit: 1 }).page()).items;
  if (!project) throw redirect({ to: '/new-project', search: { teamId } });
  throw redirect({ to: '/teams/$teamId/projects/$projectId/overview', params: { teamId, projectId: project.id } });
}

/** Opens the project that was open last, or one of the newest team, or the steps that make one. */
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  loader: async () => {
    const teams = await queryClient.fetchQuery(teamsQuery);
    const last = readLastProject();
    if (last && teams.some(({ id }) => id === last.teamId)) {
      const projects = await queryClient.fetchQuery(projectsQuery(last.teamId));
      if (projects.some(({ id }) => id === last.projectId))
        throw redirect({ to: '/teams/$teamId/projects/$projectId/overview', params: last });
    }
    const [team] = teams;
    if (!team) throw redirect({ to: '/new-team' });
    await openTeam(team.id);
  },
});
const team = createRoute({
  getParentRoute: () => signedIn,
  path: '/teams/$teamId',
  loader: ({ params }) => openTeam(params.teamId),
});
const newTeam = createRoute({
  getParentRoute: () => signedIn,
  path: '/new-team',
  component: lazyRouteComponent(() => import('#pages/onboarding/new-team-page.tsx'), 'NewTeamPage'),
});
const newProject = createRoute({
  getParentRoute: () => signedIn,
  path: '/new-project',
  validateSearch: (search: Record<string, unknown>) => ({ teamId: text(search['teamId']) ?? '' }),
  component: lazyRouteComponent(() => import('#pages/onboarding/new-project-page.tsx'), 'NewProjectPage'),
});
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('#pages/account/account-page.tsx'), 'AccountPage'),
});

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/teams/$teamId/projects/$projectId',
  loader: async ({ params: { teamId, projectId } }) => {
    // The frame is final when it is first shown: it names the team, and has what the reader's role allows.
    const frame = Promise.all([
      queryClient.prefetchQuery(teamsQuery),
      queryClient.prefetchQuery(membersQuery(scopeOf(teamId, projectId))),
    ]);
    const projects = await queryClient.ensureQueryData(projectsQuery(teamId));
    await frame;
    if (projects.some(({ id }) => id === projectId)) return;
    // Either there is no such project, or it was created after the list was loaded, by whomever.
    await client.team(teamId).projects.get(projectId);
    await queryClient.fetchQuery({ ...projectsQuery(teamId), staleTime: 0 });
  },
  component: Shell,
});

/** A page of the project, which is loaded when it is opened. */
const page = <Path extends string, Name extends string>(path: Path, load: () => Promise<Pages<Name>>, name: Name) =>
  createRoute({ getParentRoute: () => project, path, component: lazyRouteComponent(load, name) });

const projectHome = createRoute({
  getParentRoute: () => project,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/teams/$teamId/projects/$projectId/overview', params });
  },
});

const pages = [
  projectHome,
  page('/overview', () => import('#pages/overview/overview-page.tsx'), 'OverviewPage'),
  page('/overview/subscriptions', () => import('#pages/overview/drill-down-page.tsx'), 'DrillDownPage'),
  page('/start', () => import('#pages/start/start-page.tsx'), 'StartPage'),
  page('/customers', () => import('#pages/customers/customers-page.tsx'), 'CustomersPage'),
  page('/customers/$customerId', () => import('#pages/customers/customer-page.tsx'), 'CustomerPage'),
  page('/products', () => import('#pages/products/products-page.tsx'), 'ProductsPage'),
  page('/products/compare', () => import('#pages/catalog/compare-page.tsx'), 'ComparePage'),
  page('/products/$productId', () => import('#pages/products/product-page.tsx'), 'ProductPage'),
  page('/features', () => import('#pages/features/features-page.tsx'), 'FeaturesPage'),
  page('/features/$featureKey', () => import('#pages/features/feature-page.tsx'), 'FeaturePage'),
  page('/coupons', () => import('#pages/coupons/coupons-page.tsx'), 'CouponsPage'),
  page('/coupons/$couponId', () => import('#pages/coupons/coupon-page.tsx'), 'CouponPage'),
  page(
    '/promotion-codes/$promotionCodeId',
    () => import('#pages/coupons/promotion-code-page.tsx'),
    'PromotionCodePage',
  ),
  page('/price-migrations', () => import('#pages/price-migrations/migrations-page.tsx'), 'MigrationsPage'),
  page(
    '/price-migrations/$priceMigrationId',
    () => import('#pages/price-migrations/migration-page.tsx'),
    'MigrationPage',
  ),
  page('/test-clocks', () => import('#pages/test-clocks/clocks-page.tsx'), 'ClocksPage'),
  page('/test-clocks/$testClockId', () => import('#pages/test-clocks/clock-page.tsx'), 'ClockPage'),
  page('/subscriptions', () => import('#pages/subscriptions/subscriptions-page.tsx'), 'SubscriptionsPage'),
  page(
    '/subscriptions/$subscriptionId',
    () => import('#pages/subscriptions/subscription-page.tsx'),
    'SubscriptionPage',
  ),
  page('/invoices', () => import('#pages/invoices/invoices-page.tsx'), 'InvoicesPage'),
  page('/invoices/$invoiceId', () => import('#pages/invoices/invoice-page.tsx'), 'InvoicePage'),
  page('/payments', () => import('#pages/payments/payments-page.tsx'), 'PaymentsPage'),
  page('/payments/$paymentId', () => import('#pages/payments/payment-page.tsx'), 'PaymentPage'),
  page('/failing-payments', () => import('#pages/failing-payments/failing-payments-page.tsx'), 'FailingPaymentsPage'),
  page('/referrals', () => import('#pages/referrals/referrals-page.tsx'), 'ReferralsPage'),
  page('/referrals/$code', () => import('#pages/referrals/code-page.tsx'), 'CodePage'),
  page('/events', () => import('#pages/events/events-page.tsx'), 'EventsPage'),
  page('/events/to-you', () => import('#pages/events/tenant-events-page.tsx'), 'TenantEventsPage'),
  page('/events/to-you/$publicEventId', () => import('#pages/events/tenant-event-page.tsx'), 'TenantEventPage'),
  page('/events/$eventId', () => import('#pages/events/event-page.tsx'), 'EventPage'),
  page('/webhook-endpoints', () => import('#pages/webhooks/endpoints-page.tsx'), 'EndpointsPage'),
  page('/webhook-endpoints/$webhookEndpointId', () => import('#pages/webhooks/endpoint-page.tsx'), 'EndpointPage'),
  page('/webhook-deliveries/$webhookDeliveryId', () => import('#pages/webhooks/delivery-page.tsx'), 'DeliveryPage'),
  page('/dead-letters', () => import('#pages/events/dead-letters-page.tsx'), 'DeadLettersPage'),
  page('/settings/keys', () => import('#pages/settings/keys-page.tsx'), 'KeysPage'),
  page('/settings/members', () => import('#pages/settings/members-page.tsx'), 'MembersPage'),
  page('/settings/connection', () => import('#pages/settings/connection-page.tsx'), 'ConnectionPage'),
  page('/settings/syncs', () => import('#pages/syncs/syncs-page.tsx'), 'SyncsPage'),
  page('/settings/syncs/$syncId', () => import('#pages/syncs/sync-page.tsx'), 'SyncPage'),
  page('/settings/portal', () => import('#pages/portal-settings/portal-settings-page.tsx'), 'PortalSettingsPage'),
  page('/settings/project', () => import('#pages/settings/project-page.tsx'), 'ProjectPage'),
  page('/settings/audit-log', () => import('#pages/settings/audit-log-page.tsx'), 'AuditLogPage'),
];

export const router = createRouter({
  routeTree: root.addChildren([
    entry.addChildren([signIn, signUp]),
    ...linkPages,
    signedIn.addChildren([home, team, newTeam, newProject, account, project.addChildren(pages)]),
  ]),
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  defaultPendingComponent: PendingPage,
  defaultPreload: 'intent',
  // Data is cached by the queries.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});
