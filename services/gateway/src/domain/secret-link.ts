/** The pages of the console that secret links open. Opening one spends nothing: mail gateways open links, too. */
export const LINK_PAGES = ['accept-invitation', 'reset-password', 'verify-email'] as const;
export type LinkPage = (typeof LINK_PAGES)[number];

/**
 * Returns a link to a page, with its token in the query: services that check the links of mails cut what follows a #, and
 * our logs and traces have no query. The page is sent with `Referrer-Policy: no-referrer`.
 */
export const secretLink = (publicUrl: string, page: LinkPage, token: string): string =>
  `${publicUrl}/${page}?token=${encodeURIComponent(token)}`;

/** Returns the token in a link; empty for a link without one. */
export const tokenOf = (link: string): string => new URL(link).searchParams.get('token') ?? '';
