import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { processorQuery } from '#api/queries.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import type { NavItem } from './nav.ts';

/** Returns what tells whether the reader is offered a page, by role and by the mode of the team's account as far as it is known. */
export function useOfferedPages(): (item: NavItem) => boolean {
  const isOwner = useIsOwner();
  const { data: connection } = useQuery(processorQuery(useProject()));
  const isLive = connection?.processor?.livemode === true;
  return ({ forOwners = false, inTestMode = false }) => (isOwner || !forOwners) && !(isLive && inTestMode);
}
