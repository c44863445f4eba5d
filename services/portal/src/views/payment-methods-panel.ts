import { html } from 'hono/html';
import { groupByMethod, type MethodInUse } from '#domain/methods-in-use.ts';
import type { Html } from './html.ts';
import { CARD, LOCK, WARNING } from './icons.ts';
import { methodExpiry, methodName } from './payment-method.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';
import type { Texts } from './texts.ts';
import { productName } from './subscription-label.ts';

/** Returns the payment methods in use, and the button that replaces them all by a new one. */
export function paymentMethodsPanel(view: PortalView): Html {
  const { paymentMethods: lookup, links, setupKey, subscriptions, texts } = view;
  const groups = lookup.kind === 'known' ? groupByMethod(lookup.paymentMethods, subscriptions) : [];
  const isFirst = lookup.kind === 'known' && groups.every(({ method }) => method === null || method === 'invoice');
  return html`<div class="card">
    ${refusals(view)}
    ${lookup.kind === 'known' ? groups.map(group => inUse(group, groups.length > 1, view)) : unknown(texts)}
    <form class="foot" method="post" action="${links.paymentMethod(setupKey)}" data-payment-method="${setupKey}">
      <button>${texts.text(isFirst ? 'addPaymentMethod' : 'updatePaymentMethod')}</button>
      <span class="soft hint">${LOCK}<span>${texts.text('enteredAtProcessor')}</span></span>
    </form>
  </div>`;
}

/** Names the subscriptions that the processor refused to charge to what the customer saved last. */
const refusals = ({ subscriptions, texts }: PortalView): Html[] =>
  subscriptions
    .filter(({ refusedPaymentMethod }) => refusedPaymentMethod)
    .map(
      it =>
        html`<div class="advice" role="status">
          ${WARNING}
          <p>${texts.html('methodRefused', { names: productName(it, texts) })}</p>
        </div>`,
    );

const unknown = (texts: Texts): Html =>
  html`<div class="advice calm" role="status">
    ${WARNING}
    <p>${texts.text('processorSilent')}</p>
  </div>`;

/** Names the subscriptions only where not all of them are charged to the same. */
function inUse(
  { method, subscriptions }: MethodInUse<ShownSubscription>,
  isOneOfMany: boolean,
  view: PortalView,
): Html {
  const { texts } = view;
  const names = subscriptions.map((it, index) => html`${index > 0 && ', '}${productName(it, texts)}`);
  return html`<div class="method">
    <span class="plate">${CARD}</span>
    <div>
      ${
        method
          ? html`<h3>${methodName(method, texts)}</h3>
              ${methodExpiry(method, view)}`
          : html`<h3>${texts.text('noPaymentMethod')}</h3>
              <p class="soft">${texts.text('addOne')}</p>`
      }
      ${isOneOfMany && html`<p class="soft">${texts.html('forSubscriptions', { names: html`${names}` })}</p>`}
    </div>
    ${method && html`<span class="status">${texts.text('inUse')}</span>`}
  </div>`;
}
