import { html } from 'hono/html';
import { soldIn } from '#domain/offer.ts';
import type { PortalLinks } from '#domain/portal-links.ts';
import type { PreviewedPlan } from '#operations/change-plan.ts';
import { amounts } from './amounts.ts';
import { timeElement, type Html } from './html.ts';
import type { MessageKey } from './messages/messages.ts';
import { priceText } from './price-text.ts';
import type { Texts } from './texts.ts';
import { productName } from './subscription-label.ts';

interface PlanReviewView extends PreviewedPlan {
  readonly links: PortalLinks;
  readonly texts: Texts;
  /** How the project has changes made. */
  readonly terms: string;
  /** Names one confirmation: two clicks are one change. */
  readonly key: string;
  /** Why it has to be confirmed once more. */
  readonly problem?: MessageKey | undefined;
}

/** Returns the page with the exact amounts of a change, which the customer confirms. */
export function planReview(view: PlanReviewView): Html {
  const { subscription, preview, problem, links, texts } = view;
  return html`<div class="card">
    <h1>${texts.text('confirmUpdate')}</h1>
    ${problem && html`<p class="failure" role="alert">${texts.text(problem)}</p>`} ${plans(view)} ${amounts(view)}
    ${!preview.exact && html`<p class="soft">${texts.text('mayDiffer')}</p>`}
    <form method="post" action="${links.change(subscription.id)}" class="stack">
      ${confirmed(view).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <div class="actions">
        <button>${texts.text('confirm')}</button>
        <a class="button quiet" href="${links.change(subscription.id)}">${texts.text('goBack')}</a>
      </div>
    </form>
  </div>`;
}

/** What the customer confirms: this choice, at these amounts. A plan that stays is named, for another tab may change it meanwhile. */
function confirmed({
  subscription,
  choice,
  preview,
  terms,
  key,
}: PlanReviewView): [name: string, value: string | number][] {
  const fields = {
    priceId: choice.priceId ?? subscription.items[0]?.priceId,
    quantity: choice.quantity,
    prorationDate: preview.prorationDate?.toISOString(),
    expectedAmountDue: preview.amountDue,
    terms,
    key,
  };
  return Object.entries(fields).flatMap(([name, value]) => (value == null ? [] : [[name, value]]));
}

function plans({ subscription, choice, prices, preview, texts }: PlanReviewView): Html {
  const [item] = subscription.items;
  const chosen = choice.priceId && prices.get(choice.priceId);
  const sold = chosen && soldIn(preview.currency, chosen);
  const next = sold ? sold.price : item;
  const name = sold ? html`<bdi>${sold.product.name}</bdi>` : productName(subscription, texts);
  const isLater = preview.effectiveAt >= subscription.currentPeriodEnd;
  return html`<dl class="terms">
    <div>
      <dt>${texts.text('currentPlan')}</dt>
      <dd>${productName(subscription, texts)}${item && html`<p class="soft">${priceText(item, texts)}</p>`}</dd>
    </div>
    <div>
      <dt>${texts.text('newPlan')}</dt>
      <dd>
        ${name}${next && html`<p class="soft">${priceText({ ...next, quantity: choice.quantity ?? 1 }, texts)}</p>`}
      </dd>
    </div>
    <div>
      <dt>${texts.text('takesEffect')}</dt>
      <dd>${isLater ? timeElement(preview.effectiveAt, texts.locale) : texts.text('immediately')}</dd>
    </div>
  </dl>`;
}
