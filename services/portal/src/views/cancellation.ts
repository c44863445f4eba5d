import { html } from 'hono/html';
import { CANCELLATION_REASONS, MAX_COMMENT, type CancellationReason } from '@billing/contracts/resources/cancellation';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { PortalLinks } from '#domain/portal-links.ts';
import type { SaveOffer } from '#operations/save-offer.ts';
import { offText } from './discount-text.ts';
import { timeElement, type Html } from './html.ts';
import { CHECK, CLOCK } from './icons.ts';
import type { Texts } from './texts.ts';
import type { MessageKey } from './messages/messages.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';
import { productName } from './subscription-label.ts';

/**
 * Returns the cancel button, a link to the confirmation page. With script it opens the dialog, unless the customer may get an
 * offer first, which only that page finds out. A long dialog is read from its top; a short one has the harmless button focused.
 */
export function cancelAction(subscription: ShownSubscription, { links, texts, config }: PortalView): Html {
  const { id } = subscription;
  const name = productName(subscription, texts);
  const { askReason, saveOffer } = config.cancellation;
  const text = texts.html('cancel', { name });
  if (saveOffer && subscription.saveOffer === null)
    return html`<a class="button quiet" href="${links.cancel(id)}">${text}</a>`;
  return html`<a class="button quiet" href="${links.cancel(id)}" data-dialog="cancel-${id}">${text}</a>
    <dialog id="cancel-${id}" aria-labelledby="cancel-title-${id}">
      <h3 id="cancel-title-${id}" tabindex="-1" ${askReason && html`data-focus`}>
        ${texts.html('cancelThis', { name })}
      </h3>
      ${consequences(subscription, texts)}
      <form method="post" action="${links.cancel(id)}" data-change="${id}" data-cancel="true" class="stack">
        ${askReason && reasonFields(id, texts)}
        <div class="actions">
          <button class="danger">${texts.text('cancelSubscription')}</button>
          <button class="quiet" type="button" data-close ${!askReason && html`data-focus`}>
            ${texts.text('keepIt')}
          </button>
        </div>
      </form>
    </dialog>`;
}

interface Confirmation {
  readonly subscription: ShownSubscription;
  readonly askReason: boolean;
  /** What the customer is offered instead; null for nothing. */
  readonly offer: SaveOffer | null;
  readonly links: PortalLinks;
  readonly texts: Texts;
}

/** Returns the page that asks for confirmation of a cancellation, and makes the offer. */
export function confirmationContent({ subscription, askReason, offer, links, texts }: Confirmation): Html {
  const { id } = subscription;
  return html`<div class="card">
    <h1>${texts.html('cancelThis', { name: productName(subscription, texts) })}</h1>
    ${offer && offerSection(offer, links.saveOffer(id), texts)} ${consequences(subscription, texts)}
    <form method="post" action="${links.cancel(id)}" class="stack">
      ${offer && html`<input type="hidden" name="offer" value="declined" />`} ${askReason && reasonFields(id, texts)}
      <div class="actions">
        <button class="danger">${texts.text('cancelSubscription')}</button>
        <a class="button quiet" href="${links.tab('subscriptions')}">${texts.text('keepIt')}</a>
      </div>
    </form>
  </div>`;
}

function offerSection(offer: SaveOffer, action: string, texts: Texts): Html {
  const off = offText(offer, texts.locale) ?? '';
  const { duration, durationInMonths } = offer;
  return html`<section class="offer" aria-labelledby="offer">
    <h2 id="offer">${texts.text('offerTitle')}</h2>
    <p>${texts.text('offerText', { off, duration, months: durationInMonths ?? 1 })}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="promotionCodeId" value="${offer.promotionCodeId}" />
      <button>${texts.text('acceptOffer')}</button>
    </form>
  </section>`;
}

/** Asks why; nobody has to say it. */
const reasonFields = (id: string, texts: Texts): Html =>
  html`<fieldset class="reasons">
      <legend>${texts.text('whyCancel')}</legend>
      ${CANCELLATION_REASONS.map(
        reason =>
          html`<label
            ><input type="radio" name="reason" value="${reason}" /><span>${texts.text(REASONS[reason])}</span></label
          >`,
      )}
    </fieldset>
    <p class="field">
      <label for="comment-${id}">${texts.text('anythingElse')}</label>
      <textarea id="comment-${id}" name="comment" rows="3" maxlength="${MAX_COMMENT}"></textarea>
    </p>`;

const REASONS: Readonly<Record<CancellationReason, MessageKey>> = {
  too_expensive: 'tooExpensive',
  missing_features: 'missingFeatures',
  switched_service: 'switchedService',
  unused: 'notUsed',
  customer_service: 'customerService',
  too_complex: 'tooComplex',
  low_quality: 'lowQuality',
  other: 'otherReason',
};

function consequences(
  { status, currentPeriodEnd, scheduledChange, isMigrating }: ShownSubscription,
  texts: Texts,
): Html {
  const end = timeElement(currentPeriodEnd, texts.locale);
  const [goesOn, charge] = CONSEQUENCES[status] ?? ['endsOn', undefined];
  return html`<ul class="consequences">
    <li>${CLOCK}<span>${texts.html(goesOn, { end })}</span></li>
    ${charge && html`<li>${CHECK}<span>${texts.text(charge)}</span></li>`}
    ${scheduledChange && !isMigrating && html`<li>${CHECK}<span>${texts.text('changeCanceled')}</span></li>`}
    <li>${CHECK}<span>${texts.text('canResume')}</span></li>
  </ul>`;
}

const CONSEQUENCES: { readonly [Status in SubscriptionStatus]?: readonly [MessageKey, MessageKey] } = {
  trialing: ['trialGoesOn', 'notCharged'],
  active: ['keptUntil', 'notChargedAgain'],
};
