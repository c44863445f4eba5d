import { Router } from 'express';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import type { Handler } from '#http/request-context.ts';
import type { AdmitToPortal } from '#limits/portal-admission.ts';
import type { ServiceProxy } from '#proxy/service-proxy.ts';

interface Dependencies {
  readonly admitToPortal: AdmitToPortal;
  readonly proxy: Pick<ServiceProxy, 'forward'>;
}

/** The customer portal's page and its assets, which are not declared operations. */
export function portalPageRoutes({ admitToPortal, proxy }: Dependencies): Router {
  const page: Handler = (request, response) =>
    proxy.forward(request, response, {
      service: 'portal',
      principal: { kind: 'anonymous' },
      body: 'form',
      cookie: PORTAL_RETURN_COOKIE,
      admit: () => admitToPortal(request, response),
    });
  // Without JavaScript the page's actions are forms, sent by POST.
  return Router({ caseSensitive: true, strict: true }).get('/portal/*rest', page).post('/portal/*rest', page);
}
