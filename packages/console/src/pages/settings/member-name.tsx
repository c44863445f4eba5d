import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { membersQuery } from '#api/queries.ts';

/** The name of a member of the team; of those who have left it, that they have. */
export function MemberName({ userId }: { readonly userId: string }) {
  const { data: members } = useQuery(membersQuery(useProject()));
  if (!members) return <>…</>;
  const member = members.find(it => it.userId === userId);
  return member ? <bdi title={member.email}>{member.name}</bdi> : <>a former member</>;
}
