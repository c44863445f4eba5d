import { z } from 'zod';
import { CustomerId, PortalSessionId } from '../ids.ts';
import { webUrl } from '../text.ts';
import { timestamp } from '../timestamp.ts';

export const portalSessionCreate = z.strictObject({
  customerId: CustomerId.schema,
  /** How long the link is valid: one hour by default, at most thirty days. */
  ttlMs: z.int().min(1).max(2_592_000_000).default(3_600_000),
  /** The target of the page's link back to the product. */
  returnUrl: webUrl.optional(),
});

export const portalSession = z.object({
  sessionId: PortalSessionId.schema,
  /** Returned only once; only its hash is stored. */
  token: z.string(),
  portalUrl: z.string(),
  expiresAt: timestamp,
});

/** A valid portal session, without its token. */
export const livePortalSession = z.object({
  sessionId: PortalSessionId.schema,
  customerId: CustomerId.schema,
  returnUrl: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp,
});

/** The portal's only cookie: it brings a browser back from the processor's page to the customer's portal. */
export const PORTAL_RETURN_COOKIE = 'portal_return';

/** A portal token: 256 random bits, base64url. */
export const portalToken = z.string().regex(/^[0-9A-Za-z_-]{43}$/);
