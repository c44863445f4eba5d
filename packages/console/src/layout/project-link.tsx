import { Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';

/** A page of a project, relative to it. */
export type ProjectPage =
  | 'overview'
  | 'overview/subscriptions'
  | 'start'
  | 'customers'
  | `customers/${string}`
  | 'products'
  | `products/${string}`
  | 'features'
  | `features/${string}`
  | 'coupons'
  | `coupons/${string}`
  | `promotion-codes/${string}`
  | 'subscriptions'
  | `subscriptions/${string}`
  | 'invoices'
  | 'payments'
  | 'failing-payments'
  | 'referrals'
  | `referrals/${string}`
  | 'events'
  | `events/${string}`
  | 'webhook-endpoints'
  | `webhook-endpoints/${string}`
  | `webhook-deliveries/${string}`
  | 'dead-letters'
  | 'settings/keys'
  | 'settings/members'
  | 'settings/connection'
  | 'settings/syncs'
  | `settings/syncs/${string}`
  | 'price-migrations'
  | `price-migrations/${string}`
  | 'settings/portal'
  | 'settings/project'
  | 'settings/audit-log';

export type Search = Readonly<Record<string, string | number | undefined>>;

/** A page, filtered. */
export interface Place {
  readonly page: ProjectPage;
  readonly search?: Search;
}

interface ProjectLinkProps extends Place {
  readonly className?: string;
  readonly title?: string;
  /** Whether the link stays current on the pages below its own. */
  readonly exact?: boolean;
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly 'aria-label'?: string;
}

const pathOf = (teamId: string, projectId: string, page: ProjectPage): string =>
  `/teams/${teamId}/projects/${projectId}/${page}`;

/** A link to a page of the project that is open. */
export function ProjectLink({ page, search, exact = false, children, ...rest }: ProjectLinkProps) {
  const { teamId, projectId } = useProject();
  // The router knows only its templates; `ProjectPage` lists the pages.
  const target = { to: pathOf(teamId, projectId, page), search: search ?? {} } as LinkProps;
  return (
    <Link {...target} activeOptions={{ exact, includeSearch: search !== undefined }} {...rest}>
      {children}
    </Link>
  );
}

/** Returns a function that opens a page of the project. */
export function useOpenPage() {
  const { teamId, projectId } = useProject();
  const navigate = useNavigate();
  return (page: ProjectPage, search: Search = {}) =>
    void navigate({ to: pathOf(teamId, projectId, page), search: () => search });
}
