import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './client.ts';
import { useProject } from './project.ts';
import { membersQuery } from './queries.ts';

/** Whether the reader is an owner of the team; false until that is known. */
export function useIsOwner(): boolean {
  const { data: current } = useQuery(sessionQuery);
  const { data: members } = useQuery(membersQuery(useProject()));
  return members?.some(({ userId, role }) => userId === current?.user.id && role === 'owner') ?? false;
}
