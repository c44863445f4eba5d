import {
  portalBillingDetailsUpdate,
  taxIdKey,
  type PortalBillingDetails,
  type PortalBillingDetailsUpdate,
} from '@billing/contracts/resources/billing-details';
import { z } from 'zod';
import { TAX_ID_KINDS } from './tax-id-kinds.ts';

const ADDRESS_FIELDS = ['line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const;
const OTHER_FIELDS = ['businessName', 'phone', 'locale', 'purchaseOrder'] as const;

/** A field of the form with which customers change their billing details. */
export type DetailsField = (typeof ADDRESS_FIELDS)[number] | (typeof OTHER_FIELDS)[number] | 'taxIdKind' | 'taxIdValue';

/** What is wrong with a field. */
export type DetailsProblem =
  | 'checkField'
  | 'chooseCountry'
  | 'chooseKind'
  | 'taxIdRefused'
  | 'locationRefused'
  | 'noRoomForOrder';
export type DetailsProblems = Readonly<Partial<Record<DetailsField, DetailsProblem>>>;

/** The form as a browser sends it, by names of fields: those of {@link DetailsField}, and `removalOf` of tax ids to remove. */
export const detailsForm = z.preprocess(fields => fields ?? {}, z.record(z.string(), z.string()));
export type DetailsForm = z.output<typeof detailsForm>;

/** Returns the name of the field with which a tax id is removed. */
export const removalOf = (taxId: PortalBillingDetails['taxIds'][number]): string => `remove.${taxIdKey(taxId)}`;

/** Returns the form that changes nothing. A new tax id is of the country's most usual kind unless another is chosen. */
export function formOf({ address, ...details }: PortalBillingDetails): DetailsForm {
  const country = address?.country ?? '';
  const [type] = Object.keys(TAX_ID_KINDS[country] ?? {});
  return Object.fromEntries([
    ...OTHER_FIELDS.map(name => [name, details[name] ?? '']),
    ...ADDRESS_FIELDS.map(name => [name, address?.[name] ?? '']),
    ['taxIdKind', type === undefined ? '' : kindValue(country, type)],
  ]);
}

/** A kind of tax id as the form names it: of a country, for several issue the same. */
export const kindValue = (country: string, type: string): string => `${country}:${type}`;

/** Returns the country and type of a kind that was chosen, and the processor's example of it if there is one. */
export function chosenKind(value = '') {
  const [country = '', type = ''] = value.split(':');
  return { country, type, example: TAX_ID_KINDS[country]?.[type] ?? null };
}

/**
 * Returns what a form changes of the details as they are, or what is wrong with its fields. Fields that it lacks stay. A tax id
 * that the customer has already is not added again, so that a form may be sent twice; others that were added meanwhile stay.
 */
export function readForm(
  form: DetailsForm,
  { taxIds }: Pick<PortalBillingDetails, 'taxIds'>,
): { readonly wanted: PortalBillingDetailsUpdate } | { readonly problems: DetailsProblems } {
  const valuesOf = (names: readonly DetailsField[]) =>
    Object.fromEntries(names.filter(name => Object.hasOwn(form, name)).map(name => [name, form[name]?.trim() || null]));
  const address = valuesOf(ADDRESS_FIELDS);
  const [hasAddress, isEmpty] = [Object.keys(address).length > 0, Object.values(address).every(it => it === null)];
  if (hasAddress && !isEmpty && !address['country']) return { problems: { country: 'chooseCountry' } };
  const kept = taxIds
    .filter(taxId => !Object.hasOwn(form, removalOf(taxId)))
    .map(({ type, value }) => ({ type, value }));
  const { taxIdKind, taxIdValue: value } = valuesOf(['taxIdKind', 'taxIdValue']);
  if (value && !taxIdKind) return { problems: { taxIdKind: 'chooseKind' } };
  const added = value ? [{ type: chosenKind(taxIdKind ?? '').type, value }] : [];
  const wantedIds = [...new Map([...kept, ...added].map(taxId => [taxIdKey(taxId), taxId])).values()];
  const parsed = portalBillingDetailsUpdate.safeParse({
    ...valuesOf(OTHER_FIELDS),
    ...(hasAddress && { address: isEmpty ? null : address }),
    ...((kept.length < taxIds.length || added.length > 0) && { taxIds: wantedIds }),
  });
  if (parsed.success) return { wanted: parsed.data };
  return { problems: Object.fromEntries(parsed.error.issues.map(({ path }) => [fieldAt(path), 'checkField'])) };
}

/** Returns the field of the form from which a part of the update comes. */
function fieldAt([first, second]: readonly PropertyKey[]): PropertyKey {
  if (first === 'taxIds') return 'taxIdValue';
  return first === 'address' ? (second ?? 'line1') : (first ?? 'businessName');
}
