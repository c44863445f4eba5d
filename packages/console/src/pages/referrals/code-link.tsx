import type { ReferralCode } from '@billing/client';
import { ProjectLink } from '#layout/project-link.tsx';
import { Badge } from '#ui/badge.tsx';

/** A code as a link to its page. */
export function CodeLink({ code }: { readonly code: string }) {
  return (
    <ProjectLink page={`referrals/${code}`} className="primary-cell">
      <code>{code}</code>
    </ProjectLink>
  );
}

export function CodeStatus({ code: { isActive } }: { readonly code: Pick<ReferralCode, 'isActive'> }) {
  return isActive ? <Badge tone="good">Active</Badge> : <Badge>Inactive</Badge>;
}
