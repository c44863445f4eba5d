import { html } from 'hono/html';
import { TABS, type Notice, type Tab } from '#domain/portal-links.ts';
import { firstLetter } from './format/text.ts';
import type { Html } from './html.ts';
import { ARROW_LEFT, CHECK } from './icons.ts';
import { invoicesPanel } from './invoices-panel.ts';
import { paymentMethodsPanel } from './payment-methods-panel.ts';
import { subscriptionsPanel } from './subscriptions-panel.ts';
import type { PortalView } from './portal-view.ts';

const NAMES: Readonly<Record<Tab, string>> = {
  subscriptions: 'Subscriptions',
  invoices: 'Invoices',
  'payment-methods': 'Payment methods',
};

const PANELS: Readonly<Record<Tab, (view: PortalView) => Html>> = {
  subscriptions: subscriptionsPanel,
  invoices: invoicesPanel,
  'payment-methods': paymentMethodsPanel,
};

const NOTICES: Readonly<Record<Notice, string>> = {
  'cancel-scheduled': 'Your subscription is set to end. You can resume it until then.',
  resumed: 'Your subscription goes on.',
  'already-ended': 'This subscription has already ended.',
  'has-schedule': 'This subscription follows a fixed plan, so it can’t be changed here. Please ask us to change it.',
  'payment-method-saved': 'Your new payment method is saved. It may take a moment to show here.',
};

/** Returns the three tabs in one page. Each tab is a link; the script switches them in place. */
export function portalContent(view: PortalView): Html {
  const { notice } = view;
  return html`${notice && html`<p class="notice" role="status" data-notice="${notice}">${CHECK}${NOTICES[notice]}</p>`}
    <nav class="tabs" aria-label="Billing" data-api="${view.links.api}">
      <ul>
        ${TABS.map(tab => tabLink(tab, view))}
      </ul>
    </nav>
    ${TABS.map(tab => panel(tab, view))}`;
}

/** Returns the project, the customer, and the link back to the tenant. */
export function portalHeader(view: Pick<PortalView, 'projectName' | 'returnUrl' | 'customer'>): Html {
  const { projectName, returnUrl, customer } = view;
  const project = html`<bdi>${projectName ?? 'Billing'}</bdi>`;
  return html`<div class="lead">
    <div class="brand">
      <span class="mark" aria-hidden="true">${firstLetter(projectName ?? 'Billing')}</span>
      <p class="project">${project}</p>
    </div>
    <div class="who">
      <h1>Your billing</h1>
      <p><bdi>${customer.name ?? customer.email ?? ''}</bdi></p>
      ${customer.name !== null && customer.email !== null && html`<p class="soft"><bdi>${customer.email}</bdi></p>`}
    </div>
    ${
      returnUrl !== null &&
      html`<a class="back" href="${returnUrl}" rel="noreferrer">${ARROW_LEFT}<span>Return to ${project}</span></a>`
    }
  </div>`;
}

/** Names the zone of the dates: UTC, as a server does not know the reader's, until the script shows them in that. */
export const portalFooter = (locale: string): Html =>
  html`<p>
    All dates are in <span id="zone" data-locale="${locale}">UTC</span>. Anyone with this link can see this page, so
    don’t pass it on.
  </p>`;

function tabLink(tab: Tab, view: PortalView): Html {
  return html`<li>
    <a href="${view.links.tab(tab)}" data-tab="${tab}" ${tab === view.tab && html`aria-current="page"`}
      >${NAMES[tab]}</a
    >
  </li>`;
}

function panel(tab: Tab, view: PortalView): Html {
  const hidden = tab !== view.tab && html`hidden`;
  return html`<section data-panel="${tab}" aria-labelledby="title-${tab}" ${hidden}>
    <h2 id="title-${tab}" class="visually-hidden">${NAMES[tab]}</h2>
    ${PANELS[tab](view)}
  </section>`;
}
