import { html } from 'hono/html';
import type { Choice, Offer, SoldPrice } from '#domain/offer.ts';
import type { PortalLinks } from '#domain/portal-links.ts';
import type { Html } from './html.ts';
import type { MessageKey } from './messages/messages.ts';
import type { ShownSubscription } from './portal-view.ts';
import { priceText } from './price-text.ts';
import type { Texts } from './texts.ts';
import { productName } from './subscription-label.ts';

interface PlanChoiceView {
  readonly subscription: ShownSubscription;
  readonly offer: Offer;
  /** What was chosen before. */
  readonly chosen?: Choice | undefined;
  /** What was wrong with it. */
  readonly problem?: MessageKey;
  readonly links: PortalLinks;
  readonly texts: Texts;
}

/** Returns the link to the page on which a customer changes plan and quantity. */
export const updateAction = (subscription: ShownSubscription, links: PortalLinks, texts: Texts): Html =>
  html`<a class="button quiet" href="${links.change(subscription.id)}">${updateText(subscription, texts)}</a>`;

/** Returns the page on which a customer chooses among what is offered. Its form leads to the amounts. */
export function planChoice(view: PlanChoiceView): Html {
  const { subscription, offer, problem, links, texts } = view;
  return html`<div class="card">
    <h1>${updateText(subscription, texts)}</h1>
    ${problem && html`<p class="failure" role="alert">${texts.text(problem)}</p>`}
    <form method="get" action="${links.previewChange(subscription.id)}" class="stack">
      ${links.lang && html`<input type="hidden" name="lang" value="${links.lang}" />`}
      <fieldset class="choices">
        <legend>${texts.text('plan')}</legend>
        ${offer.choices.map(it => planOption(it, view))}
      </fieldset>
      ${offer.quantity && quantityField(offer.quantity, view)}
      <div class="actions">
        <button>${texts.text('continue')}</button>
        <a class="button quiet" href="${links.tab('subscriptions')}">${texts.text('goBack')}</a>
      </div>
    </form>
  </div>`;
}

const updateText = (subscription: ShownSubscription, texts: Texts): Html =>
  texts.html('update', { name: productName(subscription, texts) });

function planOption(sold: SoldPrice | null, { subscription, offer, chosen, texts }: PlanChoiceView): Html {
  const priceId = sold?.price.id ?? '';
  const isChosen = priceId === (chosen?.priceId ?? '') && html`checked`;
  const price = priceText({ ...(sold?.price ?? offer.item), quantity: 1 }, texts);
  return html`<label class="choice">
    <input type="radio" name="priceId" value="${priceId}" ${isChosen} />
    <span>
      <span class="heading">
        <span>${sold ? html`<bdi>${sold.product.name}</bdi>` : productName(subscription, texts)}</span>
        ${sold === null && html`<span class="status">${texts.text('currentPlan')}</span>`}
      </span>
      <span class="soft">${price}</span>
    </span>
  </label>`;
}

/** What there is may stay, even where it is fewer or more than is offered. */
function quantityField({ min, max }: { min: number; max: number }, { offer, chosen, texts }: PlanChoiceView): Html {
  const kept = offer.item.metered ? min : offer.item.quantity;
  const value = chosen?.quantity ?? kept;
  return html`<p class="field">
    <label for="quantity">${texts.text('quantity')}</label>
    <input
      id="quantity"
      name="quantity"
      type="number"
      inputmode="numeric"
      min="${Math.min(min, kept)}"
      max="${Math.max(max, kept)}"
      value="${value}"
      required
    />
  </p>`;
}
