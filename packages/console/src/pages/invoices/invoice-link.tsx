import { useQuery } from '@tanstack/react-query';
import { findInvoice } from '#api/find-invoice.ts';
import { useProject } from '#api/project.ts';
import { foundQuery } from '#api/queries.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { Skeleton } from '#ui/states.tsx';

/** An invoice's number, or a part of its id, as a link to its page. */
export const InvoiceLink = ({ id, number }: { readonly id: string; readonly number: string | null }) => (
  <ProjectLink page={`invoices/${id}`}>
    <code>{number ?? id.slice(0, 14)}</code>
  </ProjectLink>
);

/** The link to an invoice of which only the id is known; a dash for none. */
export function InvoiceIdLink({ id }: { readonly id: string | null }) {
  const scope = useProject();
  const { data, isPending } = useQuery(foundQuery(scope, 'invoice-name', findInvoice, id));
  if (id === null) return <span className="muted">–</span>;
  if (isPending) return <Skeleton width="6rem" />;
  return <InvoiceLink id={id} number={data?.number ?? null} />;
}
