import type { Envelope } from '@billing/contracts/event';
import { ProjectCreated, type ProjectState } from '@billing/contracts/events/gateway';
import type { ProjectScope } from '@billing/contracts/ids';
import { newEvent } from './events.ts';

/** Returns a new project in US dollars, unless changed. */
export const projectState = (
  { teamId, projectId }: ProjectScope,
  changes: Partial<ProjectState> = {},
): ProjectState => ({
  id: projectId,
  teamId,
  name: 'Shop',
  baseCurrency: 'usd',
  entitlementGraceDays: 7,
  automaticTax: false,
  entitlementsWhilePaused: true,
  createdAt: new Date(),
  version: 1,
  ...changes,
});

/** Returns the event of a project's creation. */
export const projectCreated = (scope: ProjectScope): Envelope =>
  newEvent(ProjectCreated, scope.teamId, projectState(scope));
