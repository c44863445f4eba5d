import { PORTAL_LANGUAGES, type PortalLanguage } from '@billing/contracts/resources/portal-session';

/** In which language a reader gets the portal, and the locale of amounts and dates, which is of the same language. */
export interface ReaderLanguage {
  readonly language: PortalLanguage;
  /** Has the digits 0 to 9 and the Gregorian calendar, as invoices do in all of the languages. */
  readonly locale: string;
}

/** What says which language a reader wants, the strongest first. */
export interface LanguageWishes {
  /** Of the page's address. */
  readonly query?: string | undefined;
  /** Of the portal link. */
  readonly link?: string | null | undefined;
  /** Of the customer's billing details. */
  readonly customer?: string | null | undefined;
  /** The header `Accept-Language`. https://www.rfc-editor.org/rfc/rfc9110#name-accept-language */
  readonly accepted?: string | undefined;
  /** What the project has set; English unless given. */
  readonly project?: PortalLanguage | undefined;
}

/** Browsers send fewer; the rest of a longer header is ignored. */
const MAX_RANGES = 12;

/**
 * Returns the language of the first wish that names one of the portal's. The locale is the reader's own one of that
 * language if the browser names it: who asks for German in Switzerland gets Swiss numbers.
 */
export function readerLanguage({ query, link, customer, accepted, project = 'en' }: LanguageWishes): ReaderLanguage {
  const tags = acceptedTags(accepted);
  const wanted = [query, link, customer, ...tags, project].flatMap(tag => supported(tag ?? '') ?? []);
  const chosen = wanted[0] ?? { language: project, locale: project };
  const own = tags.flatMap(tag => supported(tag) ?? []).find(({ language }) => language === chosen.language);
  const isRegional = chosen.locale !== chosen.language;
  return { language: chosen.language, locale: (isRegional ? chosen : (own ?? chosen)).locale };
}

/** Returns the tags of the header that are accepted, the most wanted first. */
function acceptedTags(header: string | undefined): string[] {
  const ranges = (header ?? '').split(',', MAX_RANGES).map(parseRange);
  const wanted = ranges.filter(it => it.quality > 0).toSorted((one, other) => other.quality - one.quality);
  return wanted.map(({ tag }) => tag);
}

function parseRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';').map(it => it.trim());
  const quality = parameters.find(it => it.startsWith('q='))?.slice(2);
  return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/**
 * Returns the portal's language of a tag, and the tag as `Intl` knows it, without the wishes for other digits and calendars;
 * undefined for other languages and for no tag.
 */
function supported(tag: string): ReaderLanguage | undefined {
  try {
    const [locale] = Intl.DateTimeFormat.supportedLocalesOf(tag);
    if (locale === undefined) return undefined;
    const { language: spoken, baseName } = new Intl.Locale(locale);
    const language = PORTAL_LANGUAGES.find(it => new Intl.Locale(it).language === spoken);
    return language && { language, locale: baseName };
  } catch {
    return undefined; // not a language tag
  }
}

/** Returns the portal's language of a tag, in any case and of any region; undefined for other languages and for no tag. */
export const portalLanguage = (tag: string): PortalLanguage | undefined => supported(tag)?.language;
