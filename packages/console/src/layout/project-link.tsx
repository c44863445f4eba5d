import { Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { useProject } from '#api/project.ts';

/** What has a page that lists it, and a page for each. */
type Listed =
  | `${'customer' | 'product' | 'feature' | 'coupon' | 'subscription' | 'invoice' | 'payment' | 'referral' | 'event'}s`
  | 'webhook-endpoints'
  | 'price-migrations'
  | 'test-clocks'
  | 'settings/syncs';

type Settings = 'keys' | 'members' | 'connection' | 'portal' | 'project' | 'audit-log';

/** A page of a project, relative to it. */
export type ProjectPage =
  | Listed
  | `${Listed | 'promotion-codes' | 'webhook-deliveries'}/${string}`
  | `settings/${Settings}`
  | 'overview'
  | 'overview/subscriptions'
  | 'start'
  | 'failing-payments'
  | 'dead-letters';

export type Search = Readonly<Record<string, string | number | undefined>>;

/** A page, filtered. */
export interface Place {
  readonly page: ProjectPage;
  readonly search?: Search;
}

interface ProjectLinkProps
  extends Place, Pick<ComponentProps<'a'>, 'className' | 'title' | 'children' | 'onClick' | 'aria-label'> {
  /** Whether it is current on its own page alone, and not on those below it. */
  readonly exact?: boolean;
}

const pathOf = (teamId: string, projectId: string, page: ProjectPage): string =>
  `/teams/${teamId}/projects/${projectId}/${page}`;

/** A link to a page of the project that is open. */
export function ProjectLink({ page, search, exact = false, ...link }: ProjectLinkProps) {
  const { teamId, projectId } = useProject();
  // The router knows only its templates; `ProjectPage` lists the pages.
  const target = { to: pathOf(teamId, projectId, page), search: search ?? {} } as LinkProps;
  return <Link {...target} activeOptions={{ exact, includeSearch: search !== undefined }} {...link} />;
}

/** Returns a function that opens a page of the project. */
export function useOpenPage() {
  const { teamId, projectId } = useProject();
  const navigate = useNavigate();
  return (page: ProjectPage, search: Search = {}) =>
    void navigate({ to: pathOf(teamId, projectId, page), search: () => search });
}
