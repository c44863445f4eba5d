import { useQuery } from '@tanstack/react-query';
import { customerTitle, findCustomer } from '#api/customer-names.ts';
import { useProject } from '#api/project.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { Skeleton } from '#ui/states.tsx';

/** How a customer of the open project, or of another, is called; the id until that is known, and when the customer was deleted. */
export function CustomerName({ id, projectId }: { readonly id: string; readonly projectId?: string | undefined }) {
  const scope = useProject(projectId);
  const { data, isPending } = useQuery({
    queryKey: scope.key('customer-name', id),
    queryFn: () => findCustomer(scope, id),
    staleTime: 60_000,
  });
  if (isPending) return <Skeleton width="6rem" />;
  return data ? <bdi>{customerTitle(data)}</bdi> : <code>{id}</code>;
}

/** The same as a link to the customer's page; a dash for none. */
export function CustomerLink({ id }: { readonly id: string | null }) {
  if (id === null) return <span className="muted">–</span>;
  return (
    <ProjectLink page={`customers/${id}`} className="primary-cell">
      <CustomerName id={id} />
    </ProjectLink>
  );
}
