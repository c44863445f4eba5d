import { html } from 'hono/html';
import {
  MAX_TAX_IDS,
  type PortalBillingDetails,
  type Verification,
} from '@billing/contracts/resources/billing-details';
import { choicesOf, namesIn } from '#domain/countries.ts';
import { kindValue, removalOf } from '#domain/details-form.ts';
import { TAX_ID_KINDS } from '#domain/tax-id-kinds.ts';
import { controlAttributes, field, kindName, option, textField, type BillingDetailsView } from './details-field.ts';
import type { Html } from './html.ts';
import type { MessageKey } from './messages/messages.ts';

/** Returns the tax ids of a customer, which can be removed, and fields for another one. */
export function taxIdFields(view: BillingDetailsView): Html {
  const { taxIds, texts } = view;
  return html`<fieldset class="choices">
    <legend>${texts.text('taxIds')}</legend>
    ${
      taxIds.length > 0 &&
      html`<ul class="reasons">
        ${taxIds.map(it => existing(it, view))}
      </ul>`
    }
    ${
      taxIds.length < MAX_TAX_IDS && [
        field('taxIdKind', 'taxIdKind', kindSelect(view), view),
        textField('taxIdValue', 'taxIdNumber', view),
      ]
    }
  </fieldset>`;
}

function existing(taxId: PortalBillingDetails['taxIds'][number], { form, texts }: BillingDetailsView): Html {
  const { type, value, verification } = taxId;
  const [state, look] = STATES[verification];
  const name = html`${kindName(type)} <bdi>${value}</bdi>`;
  const removal = removalOf(taxId);
  return html`<li>
    <p class="heading">
      <span>${name}</span>
      <span class="status ${look}">${texts.text(state)}</span>
    </p>
    <label
      ><input type="checkbox" name="${removal}" ${Object.hasOwn(form, removal) && html`checked`} /><span
        >${texts.html('removeTaxId', { name })}</span
      ></label
    >
  </li>`;
}

/** What the register of the country says, where it is asked. */
const STATES: Readonly<Record<Verification, readonly [text: MessageKey, look: string]>> = {
  pending: ['taxIdPending', 'notable'],
  verified: ['taxIdVerified', 'good'],
  unverified: ['taxIdUnverified', 'urgent'],
  unavailable: ['taxIdUnavailable', ''],
};

/** Offers the kinds of the customer's country first: without script the page does not change with the country that is chosen. */
function kindSelect(view: BillingDetailsView): Html {
  const { form, texts } = view;
  const country = form['country'] ?? '';
  const countries = choicesOf(Object.keys(TAX_ID_KINDS), '', namesIn(texts.locale, 'region'), texts.locale);
  const [first, others] = [countries.filter(it => it.value === country), countries.filter(it => it.value !== country)];
  return html`<select ${controlAttributes('taxIdKind', view)} autocomplete="off">
    ${option({ value: '', name: texts.text('chooseOne') }, false)}
    ${[...first, ...others].map(
      it =>
        html`<optgroup label="${it.name}">
          ${Object.entries(TAX_ID_KINDS[it.value] ?? {}).map(([type, example]) => {
            const value = kindValue(it.value, type);
            const name = example === null ? kindName(type) : `${kindName(type)}: ${example}`;
            return option({ value, name }, value === form['taxIdKind']);
          })}
        </optgroup>`,
    )}
  </select>`;
}
