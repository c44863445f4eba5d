import { Problem } from '@billing/contracts/problem';

/** 404; one and the same answer for a link that is malformed, unknown, expired, revoked or of a deleted customer. */
export function portalLinkExpired(): Problem {
  return new Problem('not_found', 'portal_link_expired', 'This link has expired. Ask for a new one.');
}
