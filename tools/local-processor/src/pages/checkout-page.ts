import type { UnitOfWork } from '../api/unit-of-work.ts';
import { formatAmount, formatCadence } from '../domain/money.ts';
import { cadenceOf } from '../objects/price.ts';
import { nextTestCard } from '../objects/payment-method.ts';
import type { CheckoutPlan, CheckoutSession, LineItem } from '../objects/stored.ts';
import { type Html, html, type Page } from './html.ts';

/** Returns the hosted page of an open session: items, price, billing interval, and the buttons to pay or decline. */
export function checkoutPage(
  unit: UnitOfWork,
  session: CheckoutSession,
  plan: CheckoutPlan,
  codeProblem: string | null = null,
): Page {
  const setup = session.mode === 'setup';
  const title = setup ? 'Save a card' : plan.subscription.trialDays === null ? 'Checkout' : 'Start your free trial';
  const card = nextTestCard(unit, session.customer);
  const body = html`
    <h1>${title}</h1>
    ${plan.lastDecline === null ? null : html`<p class="alert" role="alert">${plan.lastDecline}</p>`}
    ${setup ? null : order(session, plan)}
    ${session.customer_details?.email ? html`<p class="soft">For ${session.customer_details.email}</p>` : null}
    <p class="card">Test card: ${card.label} <span aria-hidden="true">••••</span> ${card.last4}</p>
    ${session.allow_promotion_codes === true ? codeForm(codeProblem) : null}
    <form method="post">
      <button name="action" value="pay" formtarget="_top">${setup ? 'Save card' : 'Pay'}</button>
      <button class="second" name="action" value="decline">Decline</button>
    </form>
    ${session.cancel_url === null ? null : html`<p class="back"><a href="${session.cancel_url}">Go back without ${setup ? 'saving' : 'paying'}</a></p>`}
  `;
  return { title, body };
}

/** The form for a promotion code, and why the last one was refused. */
const codeForm = (problem: string | null): Html => html`
  ${problem === null ? null : html`<p class="alert" role="alert">${problem}</p>`}
  <form method="post">
    <label>Promotion code <input name="code" autocomplete="off" required /></label>
    <button class="second" name="action" value="code">Apply</button>
  </form>
`;

function order(session: CheckoutSession, plan: CheckoutPlan): Html {
  const { trialDays } = plan.subscription;
  const currency = session.currency ?? 'usd';
  const discount = session.total_details?.amount_discount ?? 0;
  const then = plan.lines.filter(({ price }) => price.type === 'recurring').map(line => lineAmount(line));
  return html`
    <p class="total">${formatAmount(session.amount_total ?? 0, currency)}</p>
    ${trialDays === null ? html`<p class="soft">due today</p>` : html`<p class="soft">due today, free for ${trialDays} ${trialDays === 1 ? 'day' : 'days'}, then ${then.join(' and ')}</p>`}
    ${discount === 0 ? null : html`<p class="soft">${formatAmount(discount, currency)} off</p>`}
    <ul>
      ${plan.lines.map(line => html`<li><span>${line.description}${line.quantity === null ? ', billed by usage' : html` × ${line.quantity}`}</span><span>${lineAmount(line)}</span></li>`)}
    </ul>
  `;
}

function lineAmount(line: LineItem): string {
  const cadence = cadenceOf(line.price);
  const amount = formatAmount(line.amount_total, line.currency);
  return cadence ? `${amount} ${formatCadence(cadence.interval, cadence.count)}` : amount;
}

/** Returns the page of a session that is complete or expired. */
export function closedPage(session: CheckoutSession): Page {
  const complete = session.status === 'complete';
  const title = complete ? 'All done' : 'This checkout has expired';
  const text = complete ? 'This checkout is complete. There is nothing left to pay.' : 'Ask for a new checkout link.';
  const link =
    session.cancel_url === null || complete
      ? null
      : html`<p class="back"><a href="${session.cancel_url}">Go back</a></p>`;
  return {
    title,
    body: html`<h1>${title}</h1>
      <p>${text}</p>
      ${link}`,
  };
}

/** The page for an unknown URL. */
export const MISSING: Page = {
  title: 'Not found',
  body: html`<h1>Not found</h1>
    <p>This page does not exist.</p>`,
};
