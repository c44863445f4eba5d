import { html } from 'hono/html';
import type { PortalBillingDetails } from '@billing/contracts/resources/billing-details';
import type { Choice } from '#domain/countries.ts';
import { chosenKind, type DetailsField, type DetailsForm, type DetailsProblems } from '#domain/details-form.ts';
import type { PortalLinks } from '#domain/portal-links.ts';
import type { Html } from './html.ts';
import type { MessageKey } from './messages/messages.ts';
import type { Texts } from './texts.ts';

/** What the page with the billing details is rendered from. */
export interface BillingDetailsView {
  readonly taxIds: PortalBillingDetails['taxIds'];
  /** What the fields have: what is stored, or what was typed. */
  readonly form: DetailsForm;
  readonly problems: DetailsProblems;
  readonly isSaved: boolean;
  readonly links: PortalLinks;
  readonly texts: Texts;
}

/** Returns a control with its label, and what is wrong with it. */
export function field(
  name: DetailsField,
  label: MessageKey,
  control: Html,
  { form, problems, texts }: BillingDetailsView,
): Html {
  const problem = problems[name];
  const { type, example } = chosenKind(form['taxIdKind']);
  return html`<p class="field">
    <label for="${name}">${texts.text(label)}</label>
    ${control}
    ${
      problem &&
      html`<span class="failure" id="${name}-problem"
        >${texts.text(problem, { kind: kindName(type), example: example ?? 'none' })}</span
      >`
    }
  </p>`;
}

/** Returns a text with its label. */
export const textField = (
  name: DetailsField,
  label: MessageKey,
  view: BillingDetailsView,
  { autocomplete = 'off', type = 'text' }: { autocomplete?: string; type?: string | undefined } = {},
): Html => {
  const value = view.form[name] ?? '';
  const attributes = controlAttributes(name, view);
  return field(
    name,
    label,
    html`<input ${attributes} type="${type}" value="${value}" autocomplete="${autocomplete}" />`,
    view,
  );
};

/** Returns what every control has that has a name. */
export const controlAttributes = (name: DetailsField, { problems }: BillingDetailsView): Html =>
  html`id="${name}" name="${name}" ${problems[name] && html`aria-invalid="true" aria-describedby="${name}-problem"`}`;

/** Returns a value that can be chosen. */
export const option = ({ value, name }: Choice, isChosen: boolean): Html =>
  html`<option value="${value}" ${isChosen && html`selected`}>${name}</option>`;

/** The processor's name of a kind, in letters as invoices have it: `EU VAT`. */
export const kindName = (type: string): string => type.toUpperCase().replaceAll('_', ' ');
