import type { FastifyReply } from 'fastify';
import type { Brand } from '#operations/find-brand.ts';
import { document, type Assets } from '#views/document.ts';
import type { Html } from '#views/html.ts';
import type { Texts } from '#views/texts.ts';
import { contentSecurityPolicy, createNonce } from './headers.ts';

/** What all pages of a reader have in common. */
interface PageFrame {
  readonly texts: Texts;
  readonly brand: Brand;
}

interface Page {
  readonly title: string;
  readonly content: Html;
  readonly header?: Html;
  readonly footer?: Html;
  /** Whether it is shown in a frame of the console, with no action that works. */
  readonly isPreview?: boolean;
}

export interface SendPageDependencies {
  readonly assets: Assets;
  /** The address of the local processor; undefined for Stripe. */
  readonly processorBaseUrl: string | undefined;
}

/** Sends pages, each with a content security policy of its own. */
export function pageSender({ assets, processorBaseUrl }: SendPageDependencies) {
  return async (reply: FastifyReply, { texts, brand }: PageFrame, page: Page, status = 200) => {
    const nonce = createNonce();
    const body = String(await document({ ...page, texts, brand, nonce, assets }));
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('content-language', texts.language)
      .header('vary', 'accept-language')
      .header(
        'content-security-policy',
        contentSecurityPolicy({ nonce, processorBaseUrl, logoUrl: brand.logoUrl, isPreview: page.isPreview }),
      )
      .send(body);
  };
}
