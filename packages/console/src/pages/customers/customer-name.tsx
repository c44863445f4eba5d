import { useQuery } from '@tanstack/react-query';
import { customerTitle, findCustomer } from '#api/customer-names.ts';
import { useProject } from '#api/project.ts';
import { foundQuery } from '#api/queries.ts';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Skeleton } from '#ui/states.tsx';

/**
 * How a customer of the open project, or of another, is called; the id until that is known, and when the customer was
 * deleted.
 */
export function CustomerName({ id, projectId }: { readonly id: string; readonly projectId?: string | undefined }) {
  const scope = useProject(projectId);
  const { data, isPending } = useQuery(foundQuery(scope, 'customer-name', findCustomer, id));
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

/** The column with the customer of each row. */
export const customerColumn: Column<{ readonly customerId: string | null }> = {
  title: 'Customer',
  least: 126,
  isParent: true,
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
};
