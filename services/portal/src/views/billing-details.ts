import { html } from 'hono/html';
import { PORTAL_LANGUAGES } from '@billing/contracts/resources/portal-session';
import { choicesOf, COUNTRIES, namesIn } from '#domain/countries.ts';
import type { DetailsField } from '#domain/details-form.ts';
import { controlAttributes, field, option, textField, type BillingDetailsView } from './details-field.ts';
import type { Html } from './html.ts';
import { CHECK } from './icons.ts';
import type { MessageKey } from './messages/messages.ts';
import { taxIdFields } from './tax-id-fields.ts';

/** Returns the page on which customers see and change what stands on their invoices. */
export function billingDetailsContent(view: BillingDetailsView): Html {
  const { form, problems, isSaved, links, texts } = view;
  const text = (name: DetailsField, label: MessageKey, autocomplete: string, type?: string) =>
    textField(name, label, view, { autocomplete, type });
  const choice = (name: 'country' | 'locale', label: MessageKey, none: MessageKey, values: readonly string[]) => {
    const current = form[name] ?? '';
    const nameOf = namesIn(texts.locale, name === 'country' ? 'region' : 'language');
    const choices = [{ value: '', name: texts.text(none) }, ...choicesOf(values, current, nameOf, texts.locale)];
    return field(
      name,
      label,
      html`<select ${controlAttributes(name, view)} autocomplete="${name === 'country' ? 'country' : 'off'}">
        ${choices.map(it => option(it, it.value === current))}
      </select>`,
      view,
    );
  };
  return html`${isSaved && html`<p class="notice" role="status">${CHECK}${texts.text('detailsSaved')}</p>`}
    <div class="card">
      <h1>${texts.text('billingDetails')}</h1>
      <p>${texts.text('detailsOnInvoices')}</p>
      <form method="post" action="${links.billingDetails()}" class="stack details">
        ${Object.keys(problems).length > 0 && html`<p class="failure" role="alert">${texts.text('detailsNotSaved')}</p>`}
        ${text('businessName', 'businessName', 'organization')}
        <fieldset class="choices">
          <legend>${texts.text('address')}</legend>
          ${text('line1', 'addressLine1', 'address-line1')} ${text('line2', 'addressLine2', 'address-line2')}
          ${text('postalCode', 'postalCode', 'postal-code')} ${text('city', 'city', 'address-level2')}
          ${text('state', 'state', 'address-level1')} ${choice('country', 'country', 'chooseOne', COUNTRIES)}
        </fieldset>
        ${text('phone', 'phone', 'tel', 'tel')} ${taxIdFields(view)} ${text('purchaseOrder', 'purchaseOrder', 'off')}
        ${choice('locale', 'invoiceLanguage', 'automatic', PORTAL_LANGUAGES)}
        <div class="actions">
          <button>${texts.text('save')}</button>
          <a class="button quiet" href="${links.tab('subscriptions')}">${texts.text('goBack')}</a>
        </div>
      </form>
    </div>`;
}
