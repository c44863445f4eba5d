import { useQuery } from '@tanstack/react-query';
import { findInvoice } from '#api/find-invoice.ts';
import { useProject } from '#api/project.ts';
import { ProjectLink } from '#layout/project-link.tsx';

/** The number of an invoice as a link to it; a dash for none. */
export function InvoiceLink({ id }: { readonly id: string | null }) {
  const scope = useProject();
  const { data } = useQuery({
    queryKey: scope.key('invoice-name', id),
    queryFn: () => (id === null ? null : findInvoice(scope, id)),
    staleTime: 60_000,
  });
  if (id === null) return <span className="muted">–</span>;
  return (
    <ProjectLink page="invoices" search={{ id }}>
      <code>{data?.number ?? id.slice(0, 14)}</code>
    </ProjectLink>
  );
}
