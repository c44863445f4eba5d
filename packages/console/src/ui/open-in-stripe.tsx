import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { processorQuery } from '#api/queries.ts';
import { CopyableId } from './copy.tsx';
import { Icon } from './icon.tsx';
import { dashboardUrl } from './stripe-dashboard.ts';

interface OpenInStripeProps {
  /** The object's id at the processor, from which its kind follows; nothing is shown without one. */
  readonly id: string | null | undefined;
  /** What it opens, for a link in a row, which is an icon only. */
  readonly what?: string;
}

/** A link to an object's page in Stripe's dashboard. Not shown where the processor is the local one, which has no such pages. */
export function OpenInStripe({ id, what }: OpenInStripeProps) {
  const { data } = useQuery(processorQuery(useProject()));
  const url = id && data?.processor && !data.isLocal ? dashboardUrl(id, data.processor) : undefined;
  if (!url) return null;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className={what ? undefined : 'button'}
      aria-label={what && `Open ${what} in Stripe`}
    >
      <Icon name="external" />
      {!what && 'Open in Stripe'}
    </a>
  );
}

/** An id at the processor that a click copies, and the link to its page there. */
export function StripeId({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <span className="row">
      <CopyableId id={id} />
      <OpenInStripe id={id} what={what} />
    </span>
  );
}
