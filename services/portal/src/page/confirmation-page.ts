import { html } from 'hono/html';
import type { PortalLinks } from '#domain/links.ts';
import { cancellationText } from './cancellation-text.ts';
import type { Html } from './html.ts';
import { productName } from './subscriptions-panel.ts';
import type { ShownSubscription } from './view.ts';

/** Asks whether to cancel, for a browser without script; says what happens and when. */
export function confirmationContent(subscription: ShownSubscription, links: PortalLinks, locale: string): Html {
  return html`<div class="card">
    <h1>Cancel ${productName(subscription)}?</h1>
    ${cancellationText(subscription, locale)}
    <form method="post" action="${links.cancel(subscription.id)}" class="actions">
      <button class="danger">Cancel subscription</button>
      <a class="button quiet" href="${links.tab('subscriptions')}">Keep it</a>
    </form>
  </div>`;
}
