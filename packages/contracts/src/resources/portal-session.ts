import { z } from 'zod';
import { CustomerId, PortalSessionId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { webUrl } from '../text.ts';
import { createdAt, timestamp } from '../timestamp.ts';

const RETURN_URL = 'The target of the page’s link back to your product';
const EXAMPLE_RETURN_URL = 'https://shop.example/account';
export const EXAMPLE_PORTAL_TOKEN = 'b0Jx2yG7v1nQ4mT8kR5sW9zL3cF6hD0pA2eU7iY1oXk';
const expiresAt = timestamp.meta({
  description: 'When the link stops working.',
  example: '2026-03-02T10:30:00.000Z',
});

/** The languages of the portal. */
export const PORTAL_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt-BR', 'sv', 'ja'] as const;
export type PortalLanguage = (typeof PORTAL_LANGUAGES)[number];

const LOCALE =
  'The language of the page, as a BCP 47 tag: `de`, or `de-CH` for Swiss amounts and dates; that of the browser for a language that the portal does not have';
const locale = z
  .string()
  .max(35)
  .refine(tag => isLanguageTag(tag), 'Expected a language tag, for example de or pt-BR.')
  .meta({ example: 'de' });

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

export const portalSessionCreate = z
  .strictObject({
    customerId: CustomerId.schema,
    ttlMs: withDefault(z.int().min(1).max(2_592_000_000), 3_600_000).describe(
      'How long the link is valid, in milliseconds, at most thirty days.',
    ),
    returnUrl: optional(webUrl).describe(`${RETURN_URL}.`),
    locale: optional(locale).describe(`${LOCALE}.`),
  })
  .meta({
    id: 'PortalSessionCreate',
    description: 'A portal link to create.',
    example: { ttlMs: 3_600_000, returnUrl: EXAMPLE_RETURN_URL, locale: 'de' },
  });

export const portalSession = z
  .object({
    sessionId: PortalSessionId.schema,
    /** Only its hash is stored. */
    token: z.string().meta({
      description: 'Returned only once. Anyone who holds it has access.',
      example: EXAMPLE_PORTAL_TOKEN,
    }),
    portalUrl: z.string().meta({
      description: 'Redirect the customer here.',
      example: `https://billing.example.com/portal/${EXAMPLE_PORTAL_TOKEN}`,
    }),
    expiresAt,
  })
  .meta({ id: 'PortalSession', description: 'A link with which one customer sees and manages their billing.' });

export const livePortalSession = z
  .object({
    sessionId: PortalSessionId.schema,
    customerId: CustomerId.schema,
    returnUrl: z
      .string()
      .nullable()
      .meta({ description: `${RETURN_URL}; null when there is none.`, example: EXAMPLE_RETURN_URL }),
    locale: locale.nullable().describe(`${LOCALE}; null when the browser decides.`),
    createdAt,
    expiresAt,
  })
  .meta({ id: 'LivePortalSession', description: 'A valid portal link, without its token.' });

/** The portal's only cookie: it brings a browser back from the processor's page to the customer's portal. */
export const PORTAL_RETURN_COOKIE = 'portal_return';

/** A portal token: 256 random bits, base64url. */
export const portalToken = z.string().regex(/^[0-9A-Za-z_-]{43}$/);
