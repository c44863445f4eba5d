import { html } from 'hono/html';
import { TABS, type Notice, type Tab } from '#domain/portal-links.ts';
import { brandMark } from './brand.ts';
import type { Html } from './html.ts';
import { ARROW_LEFT, CHECK } from './icons.ts';
import { invoicesPanel } from './invoices-panel.ts';
import { paymentMethodsPanel } from './payment-methods-panel.ts';
import { subscriptionsPanel } from './subscriptions-panel.ts';
import type { MessageKey } from './messages/messages.ts';
import type { PortalView } from './portal-view.ts';
import type { Texts } from './texts.ts';

const NAMES: Readonly<Record<Tab, MessageKey>> = {
  subscriptions: 'subscriptions',
  invoices: 'invoices',
  'payment-methods': 'paymentMethods',
};

const PANELS: Readonly<Record<Tab, (view: PortalView) => Html>> = {
  subscriptions: subscriptionsPanel,
  invoices: invoicesPanel,
  'payment-methods': paymentMethodsPanel,
};

const NOTICES: Readonly<Record<Notice, MessageKey>> = {
  'cancel-scheduled': 'cancelScheduled',
  resumed: 'resumed',
  'already-ended': 'alreadyEnded',
  'has-schedule': 'hasSchedule',
  'offer-accepted': 'offerAccepted',
  'offer-gone': 'offerGone',
  updated: 'updated',
  'update-scheduled': 'updateScheduled',
  'update-dropped': 'updateDropped',
  paused: 'pauseBegun',
  'not-possible': 'notPossible',
  'payment-method-saved': 'paymentMethodSaved',
  'details-saved': 'detailsSaved',
};

/** Returns the page of a customer, by which it was opened or previewed. */
export const portalPage = (view: PortalView) => ({
  title: view.texts.text('pageTitle', { name: view.brand.name ?? view.customer.email ?? view.customer.name ?? '' }),
  header: portalHeader(view),
  content: portalContent(view),
  footer: portalFooter(view.texts),
});

/** Returns the three tabs in one page. Each tab is a link; the script switches them in place. */
function portalContent(view: PortalView): Html {
  const { notice, texts } = view;
  return html`${notice && html`<p class="notice" role="status" data-notice="${notice}">${CHECK}${texts.text(NOTICES[notice])}</p>`}
    <nav class="tabs" aria-label="${texts.text('billing')}" data-api="${view.links.api}">
      <ul>
        ${TABS.map(tab => tabLink(tab, view))}
      </ul>
    </nav>
    ${TABS.map(tab => panel(tab, view))}`;
}

/** Returns the project, the customer with the link to their billing details, and the link back to the tenant. */
function portalHeader({ brand, returnUrl, customer, config, links, texts }: PortalView): Html {
  const project = html`<bdi>${brand.name ?? texts.text('billing')}</bdi>`;
  return html`<div class="lead">
    ${brandMark(brand, texts.text('billing'))}
    <div class="who">
      <h1>${texts.text('yourBilling')}</h1>
      <p><bdi>${customer.name ?? customer.email ?? ''}</bdi></p>
      ${customer.name !== null && customer.email !== null && html`<p class="soft"><bdi>${customer.email}</bdi></p>`}
      ${config.billingDetails.enabled && html`<p><a href="${links.billingDetails()}">${texts.text('billingDetails')}</a></p>`}
    </div>
    ${
      returnUrl !== null &&
      html`<a class="back" href="${returnUrl}" rel="noreferrer"
        >${ARROW_LEFT}<span>${texts.html('returnTo', { project })}</span></a
      >`
    }
  </div>`;
}

/** Names the zone of the dates: UTC, as a server does not know the reader's, until the script shows them in that. */
export const portalFooter = (texts: Texts): Html =>
  html`<p>${texts.html('footer', { zone: html`<span id="zone" data-locale="${texts.locale}">UTC</span>` })}</p>`;

function tabLink(tab: Tab, view: PortalView): Html {
  return html`<li>
    <a href="${view.links.tab(tab)}" data-tab="${tab}" ${tab === view.tab && html`aria-current="page"`}
      >${view.texts.text(NAMES[tab])}</a
    >
  </li>`;
}

function panel(tab: Tab, view: PortalView): Html {
  const hidden = tab !== view.tab && html`hidden`;
  return html`<section data-panel="${tab}" aria-labelledby="title-${tab}" ${hidden}>
    <h2 id="title-${tab}" class="visually-hidden">${view.texts.text(NAMES[tab])}</h2>
    ${PANELS[tab](view)}
  </section>`;
}
