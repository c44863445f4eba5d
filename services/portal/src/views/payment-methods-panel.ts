import { html } from 'hono/html';
import { groupByMethod, type MethodInUse } from '#domain/methods-in-use.ts';
import { productName } from './cancellation.ts';
import type { Html } from './html.ts';
import { CARD, LOCK, WARNING } from './icons.ts';
import { methodExpiry, methodName } from './payment-method.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';

/** Returns the payment methods in use, and the button that replaces them all by a new one. */
export function paymentMethodsPanel(view: PortalView): Html {
  const { paymentMethods: lookup, links, setupKey, subscriptions } = view;
  const groups = lookup.kind === 'known' ? groupByMethod(lookup.paymentMethods, subscriptions) : [];
  const isFirst = lookup.kind === 'known' && groups.every(({ method }) => method === null);
  return html`<div class="card">
    ${lookup.kind === 'known' ? groups.map(group => inUse(group, groups.length > 1, view)) : UNKNOWN}
    <form class="foot" method="post" action="${links.paymentMethod}?key=${setupKey}" data-payment-method="${setupKey}">
      <button>${isFirst ? 'Add a payment method' : 'Update payment method'}</button>
      <span class="soft hint">${LOCK}<span>You enter it on the payment processor’s own page.</span></span>
    </form>
  </div>`;
}

const UNKNOWN: Html = html`<div class="advice calm" role="status">
  ${WARNING}
  <p>
    The payment processor doesn’t answer right now, so your payment method can’t be shown. Everything else here is up to
    date.
  </p>
</div>`;

/** Names the subscriptions only where not all of them are charged to the same. */
function inUse(
  { method, subscriptions }: MethodInUse<ShownSubscription>,
  isOneOfMany: boolean,
  view: PortalView,
): Html {
  const names = subscriptions.map((it, index) => html`${index > 0 && ', '}${productName(it)}`);
  return html`<div class="method">
    <span class="plate">${CARD}</span>
    <div>
      ${
        method
          ? html`<h3>${methodName(method)}</h3>
              ${methodExpiry(method, view)}`
          : html`<h3>No payment method is saved</h3>
              <p class="soft">Add one, and your subscriptions are paid with it.</p>`
      }
      ${isOneOfMany && html`<p class="soft">For ${names}</p>`}
    </div>
    ${method && html`<span class="status">In use</span>`}
  </div>`;
}
