import { html } from 'hono/html';
import { leastCharge } from '@billing/contracts/least-charge';
import { formatMoney } from '@billing/contracts/money-format';
import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import type { ResumePreview } from '@billing/contracts/resources/subscription-pause';
import type { PreviewedPlan } from '#operations/change-plan.ts';
import { timeElement, type Html } from './html.ts';
import type { Texts } from './texts.ts';

type Preview = ResumePreview & Partial<Pick<PlanChangePreview, 'nextInvoice'>>;

/** What is going to be charged, and of which choice. */
interface AmountsView extends Pick<PreviewedPlan, 'subscription' | 'choice' | 'prices'> {
  readonly preview: Preview;
  readonly texts: Texts;
}

/** Returns the lines of a preview, what they add up to, today or on the next invoice, and why nothing is due that is owed. */
export function amounts(view: AmountsView): Html {
  const { preview, texts } = view;
  const { lines, discount, tax, creditApplied, creditGranted, debitApplied, amountDue } = preview;
  const { carriedOver: carried, total, nextInvoice, currency } = preview;
  const money = (amount: number) => formatMoney(amount, currency, texts.locale);
  const row = (term: Html | string, amount: number) =>
    html`<tr>
      <th scope="row">${term}</th>
      <td>${money(amount)}</td>
    </tr>`;
  const due = row(texts.text('dueToday'), amountDue);
  const next =
    nextInvoice &&
    row(texts.html('nextInvoiceOn', { date: timeElement(nextInvoice.at, texts.locale) }), nextInvoice.total);
  const isOfNext = amountDue === 0 && creditGranted === 0 && carried === 0 && nextInvoice?.total === total;
  return html`<table class="amounts">
      <tbody>
        ${lines.map(line => row(lineText(line, view), line.amount))}
        ${discount !== 0 && row(texts.text('discount'), -discount)} ${tax !== 0 && row(texts.text('tax'), tax)}
        ${creditApplied !== 0 && row(texts.text('fromBalance'), -creditApplied)}
        ${creditGranted !== 0 && row(texts.text('toBalance'), creditGranted)}
        ${debitApplied !== 0 && row(texts.text('fromBefore'), debitApplied)}
        ${carried !== 0 && row(texts.text('carriedOver'), -carried)}
      </tbody>
      <tbody class="sums">
        ${isOfNext ? [next, due] : [due, next]}
      </tbody>
    </table>
    ${carriedOver(view)}`;
}

/** Says what a line bills in the reader's language; the processor's own words are in that of the customer. */
function lineText(
  { description, priceId, quantity, amount, proration }: Preview['lines'][number],
  { subscription, choice, prices, texts }: AmountsView,
): Html {
  const sold = priceId && choice.priceId === priceId && prices.get(priceId);
  const isBilled = subscription.items.some(it => it.priceId !== null && it.priceId === priceId);
  const name = sold ? sold.product.name : isBilled ? subscription.productName : null;
  if (name === null) return html`<bdi>${description ?? texts.text('subscription')}</bdi>`;
  const text = proration ? (amount < 0 ? 'unusedTime' : 'remainingTime') : 'billedItem';
  return texts.html(text, { name: html`<bdi>${name}</bdi>`, quantity: quantity ?? 1 });
}

/** Says why nothing is due although something is owed. */
function carriedOver({ preview: { carriedOver: amount, currency }, texts }: AmountsView): Html | false {
  const money = (it: number) => formatMoney(it, currency, texts.locale);
  return (
    amount > 0 &&
    html`<p>${texts.text('tooLittle', { least: money(leastCharge(currency)), amount: money(amount) })}</p>`
  );
}
