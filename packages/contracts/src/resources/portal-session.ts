import { z } from 'zod';
import { CustomerId, PortalSessionId } from '../ids.ts';
import { webUrl } from '../text.ts';
import { timestamp } from '../timestamp.ts';

export const portalSessionCreate = z.strictObject({
  customerId: CustomerId.schema,
  /** How long the link works: one hour unless told, thirty days at most. */
  ttlMs: z.int().min(1).max(2_592_000_000).default(3_600_000),
  /** Where the page's way back leads. */
  returnUrl: webUrl.optional(),
});

export const portalSession = z.object({
  sessionId: PortalSessionId.schema,
  /** Shown this once; only its hash is kept. */
  token: z.string(),
  portalUrl: z.string(),
  expiresAt: timestamp,
});

/** A link that lets its holder in now; its token is not told again. */
export const livePortalSession = z.object({
  sessionId: PortalSessionId.schema,
  customerId: CustomerId.schema,
  returnUrl: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp,
});

/** The portal's only cookie: with it a browser that went to the processor's page comes back to the customer's. */
export const PORTAL_RETURN_COOKIE = 'portal_return';

/** A portal token: 256 random bits, base64url. */
export const portalToken = z.string().regex(/^[0-9A-Za-z_-]{43}$/);
